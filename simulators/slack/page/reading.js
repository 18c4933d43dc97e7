// The panel "How I read this": the text as the model reads it, its score, and the event's path.
import { toast } from "./status.js";

const $ = (id) => document.getElementById(id);
const KINDS = {
  insult: "insult", threat: "threat", identity: "attack on who people are",
  sexual: "sexual harassment", obscene: "obscene words", putdown: "put-down",
};
const STEPS = { receiver: "Receiver", worker: "Worker", post: "Posted" };

/** Opens the panel on a message; `people` maps user IDs to people. */
export async function showReading(message, people) {
  const query = new URLSearchParams({ channel: message.channel, ts: message.ts });
  let reading;
  try {
    const answer = await fetch(`/client/reading?${query}`);
    if (!answer.ok) throw new Error(answer.statusText);
    reading = await answer.json();
  } catch {
    toast("Could not read the message: it may be gone, or the workspace has stopped.");
    return;
  }
  $("reading-content").replaceChildren(
    ...asRead(reading), ...score(reading), ...kinds(reading), ...words(reading),
    ...ways(reading, people),
  );
  $("reading-close").onclick = () => $("reading").close();
  $("reading").onclick = (event) => { if (event.target === $("reading")) $("reading").close(); };
  $("reading").showModal();
  $("reading-content").scrollTop = 0;
  const [quote, mark] = ["blockquote", "mark"].map((one) => $("reading-content").querySelector(one));
  if (mark) quote.scrollTop = mark.offsetTop - quote.offsetTop;
}

function asRead({ text, legible, windows, passage: [begin, end] }) {
  if (!legible) return section("The text as I read it", note("It is not in a language that I read, so I did not judge it."));
  if (!windows) return section("The text as I read it", note("It has no words."));
  const quote = document.createElement("blockquote");
  quote.dir = "auto";
  if (windows === 1) quote.append(text);
  else {
    quote.tabIndex = 0; // it scrolls
    quote.append(text.slice(0, begin), element("mark", text.slice(begin, end)), text.slice(end));
  }
  const pieces = windows === 1 ? "I read it in one piece."
    : `It is too long to read at once: I read it in ${windows} overlapping pieces, and the marked one decided.`;
  return section("The text as I read it", quote, note(pieces));
}

function score({ windows, score, limit, own_limit, toxic }) {
  if (!windows) return [];
  const bar = document.createElement("div");
  const filled = document.createElement("i");
  const mark = document.createElement("b");
  bar.className = "bar-of-score";
  bar.dataset.verdict = toxic ? "toxic" : "fine";
  filled.style.width = `${score * 100}%`;
  mark.style.left = `${limit * 100}%`;
  bar.append(filled, mark);
  const words = `${percent(score)}, ${toxic ? "at or above" : "below"} ${own_limit ? "this channel's own threshold" : "the threshold"} of ${percent(limit)}.`;
  return section("Toxicity score", bar, note(words));
}

function kinds({ toxic, kinds }) {
  if (!toxic || !kinds.length) return [];
  const list = kinds.map(({ name, probability, shown }) =>
    entry(KINDS[name] ?? name, percent(probability), probability, shown));
  const limits = note("Each kind has its own threshold; kinds in bold reach theirs.");
  return section("Kinds", listOf("dl", list), limits);
}

function words({ toxic, words, part, windows }) {
  if (!windows) return [];
  if (!words.length) {
    const drove = part ? `No single word drove the score; this part did: “${part}”` : "No single word drove the score.";
    return section("Words", note(drove));
  }
  const most = Math.max(...words.map(({ effect }) => effect));
  const list = words.map(({ text, effect }) => entry(text, `+${points(effect)}`, effect / most, toxic));
  return section("Words that drove the score", listOf("dl", list));
}

function ways({ journeys }, people) {
  if (!journeys) return [];
  const title = "How it got here";
  if (!journeys.length) return section(title, note("I no longer have a record of the request."));
  return section(title, ...journeys.flatMap((journey) => way(journey, people)));
}

function way({ user, at, steps, done }, people) {
  const asked = new Date(at * 1000).toLocaleTimeString();
  const list = document.createElement("ol");
  list.className = "way";
  list.append(item(0, `${people.get(user)?.name ?? user} asked`, asked));
  let queuedAt = null;
  for (const step of steps) {
    if (step.name === "worker" && queuedAt !== null) {
      // The worker may begin before the receiver's response has reached Slack.
      const wait = Math.max(0, step.at - queuedAt);
      list.append(item(step.at - wait, "Queue", wait ? `waited ${duration(wait)}` : "did not wait"));
    }
    queuedAt = step.name === "receiver" && step.outcome === "queued" ? step.at + step.milliseconds : null;
    list.append(item(step.at, stepName(step), stepNote(step)));
  }
  if (!done) list.append(item(null, "Waiting", "not done yet"));
  const repeated = steps.filter((step) => step.outcome === "this event was already answered").length;
  const lines = [list];
  if (repeated) lines.push(note(`${repeated === 1 ? "1 retry" : `${repeated} retries`} suppressed: the event was already answered.`));
  return lines;
}

function stepName({ name, retry }) {
  return retry ? `${STEPS[name]}, retry ${retry}` : STEPS[name];
}

function stepNote({ name, outcome, milliseconds, cold }) {
  if (name === "post") return outcome;
  return `${outcome || "no result"} · ${duration(milliseconds)} · ${cold ? "cold" : "warm"}`;
}

function item(at, name, text) {
  const shown = document.createElement("li");
  const when = element("span", at === null ? "" : `${Math.round(at)} ms`);
  when.className = "at";
  shown.append(when, element("strong", name), " ", element("span", text));
  return shown;
}

function entry(name, value, share, shown) {
  const row = document.createElement("div");
  const bar = document.createElement("i");
  bar.style.width = `${Math.max(2, share * 50)}%`; // half of the line is for the number
  row.classList.toggle("shown", shown);
  const term = element("dt", name);
  term.dir = "auto";
  row.append(term, element("dd", value));
  row.querySelector("dd").append(bar);
  return row;
}

function listOf(tag, entries) {
  const list = document.createElement(tag);
  list.append(...entries);
  return list;
}

function section(title, ...content) {
  const shown = document.createElement("section");
  shown.append(element("h3", title), ...content);
  return [shown];
}

function note(text) {
  return element("p", text);
}

function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function percent(share) {
  if (share < 0.01) return "under 1%";
  return share > 0.99 ? "over 99%" : `${Math.round(share * 100)}%`;
}

function points(effect) {
  return `${Math.round(effect * 100)} points`;
}

function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
