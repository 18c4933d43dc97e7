// A message in a list, redrawn whenever it changes.
import { messageAddress } from "./address.js";
import { block } from "./blocks.js";
import { isBeingDeleted, undoDeletion } from "./deletion.js";
import { emojiElement } from "./glyphs.js";
import { fillIcons, icon } from "./icons.js";
import { render } from "./mrkdwn.js";
import { adopt } from "./navigation.js";
import { showReading } from "./reading.js";
import { names, repliesTo, state } from "./state.js";
import { openThread } from "./thread.js";
import { fillTools, react } from "./tools.js";
import { isStale, isVerdict, tone, verdictOf } from "./verdict.js";

const LONG = 600; // characters; a longer message is folded
const $ = (id) => document.getElementById(id);

/** Draws a message into the list that it belongs to. */
export function drawRow(list, message) {
  if (!message || (list === $("messages") && message.thread)) return;
  const old = list.querySelector(`[data-ts="${message.ts}"]`);
  if (old && state.editing === `${list.id}/${message.ts}`) return;
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 120;
  const focused = old?.contains(document.activeElement) ? document.activeElement.dataset.key ?? "row" : null;
  const row = makeRow(list, message);
  if (old) old.replaceWith(row);
  else {
    const after = [...list.children].find((one) => one.dataset.ts > message.ts);
    list.insertBefore(row, after ?? list.querySelector(".typing"));
  }
  adopt(list, row);
  if (focused) (row.querySelector(`[data-key="${CSS.escape(focused)}"]`) ?? row).focus();
  if (atEnd) toBottom(list);
}

export function toBottom(list) {
  list.scrollTop = list.scrollHeight;
}

/** Returns the line that says that the bot is at work. */
export function reading() {
  const line = document.createElement("span");
  line.className = "reading";
  line.append("Toxic Bot is reading", document.createElement("i"));
  return line;
}

function makeRow(list, message) {
  const row = $("message-template").content.cloneNode(true).firstElementChild;
  const person = state.people.get(message.user) ?? { id: message.user, name: message.user };
  const part = (name) => row.querySelector(`.${name}`);
  row.dataset.ts = message.ts;
  row.classList.toggle("from-bot", Boolean(person.bot));
  if (person.bot) row.dataset.verdict = isStale(message) ? "stale" : tone(message);
  const ids = ["head", "body"].map((name) => {
    part(name).id = `${list.id}-${message.ts}-${name}`;
    return part(name).id;
  });
  row.setAttribute("aria-labelledby", ids.join(" "));
  part("avatar").replaceChildren(person.bot ? icon("ask") : initials(person.name));
  part("avatar").dataset.tint = tint(person.id);
  part("author").textContent = person.name;
  part("badge").hidden = !person.bot;
  const time = row.querySelector("time");
  const when = new Date(parseFloat(message.ts) * 1000);
  time.dateTime = when.toISOString();
  time.title = when.toLocaleString();
  time.parentElement.href = messageAddress(message);
  time.textContent = when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  part("private").hidden = !message.only_for;
  if (isBeingDeleted(message)) {
    part("body").append(small("Message deleted."), " ", undoButton(message));
    part("tools").remove();
    fillIcons(row);
    return row;
  }
  fillBody(part("body"), message, list);
  fillReactions(part("reactions"), message);
  if (list === $("messages")) fillReplies(part("replies"), message);
  if (message.deleted) part("tools").remove();
  else fillTools(part("tools"), message, list);
  fillIcons(row);
  return row;
}

function fillBody(body, message, list) {
  if (message.deleted) {
    body.append(small("This message was deleted."));
    return;
  }
  if (message.blocks.length) body.append(...message.blocks.map((one) => block(one, message)));
  else if (message.text) body.append(text(message, list));
  for (const name of message.files) {
    const file = document.createElement("span");
    file.className = "file";
    file.append(icon("file"), name);
    body.append(file);
  }
  if (message.edited) body.append(" ", small("(edited)"));
  const notes = document.createElement("div");
  notes.className = "notes";
  // An answer that says so itself needs no note.
  if (isStale(message) && !message.outdated) notes.append(small("The message was edited after this answer."));
  if (message.answer_ms !== null) {
    const took = small(`answered in ${duration(message.answer_ms)}`);
    took.prepend(icon("clock"), " ");
    notes.append(took);
  }
  // An answer to a command is read itself: the text that was typed is in no message.
  const read = state.messages.get(message.reads);
  if (read && !read.deleted && (read !== message || isVerdict(message))) notes.append(howButton(read));
  if (notes.hasChildNodes()) body.append(notes);
}

function howButton(message) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "how";
  button.dataset.key = "how";
  button.append(icon("how"), " How I read this");
  button.addEventListener("click", () => showReading(message, state.people));
  return button;
}

function undoButton(message) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "undo";
  button.dataset.key = "undo";
  button.textContent = "Undo";
  button.addEventListener("click", () => undoDeletion(message));
  return button;
}

function text(message, list) {
  const shown = document.createElement("div");
  shown.className = "text";
  shown.dir = "auto";
  shown.append(render(message.text, names(), state.viewer));
  if (message.text.length <= LONG) return shown;
  const key = `${list.id}/${message.ts}`;
  const open = state.unfolded.has(key);
  shown.classList.toggle("folded", !open);
  const both = document.createDocumentFragment();
  const more = document.createElement("button");
  more.type = "button";
  more.className = "more";
  more.dataset.key = "more";
  more.textContent = open ? "Show less" : "Show all";
  more.setAttribute("aria-expanded", String(open));
  more.addEventListener("click", () => {
    if (open) state.unfolded.delete(key);
    else state.unfolded.add(key);
    drawRow(list, message);
  });
  both.append(shown, more);
  return both;
}

function fillReactions(box, message) {
  for (const { name, users } of message.reactions) {
    const chip = document.createElement("button");
    const who = users.map((user) => state.people.get(user)?.name ?? user).join(", ");
    chip.type = "button";
    chip.className = "chip";
    chip.dataset.key = `reaction-${name}`;
    chip.append(emojiElement(name), " ", String(users.length));
    chip.title = `${who} reacted with :${name}:`;
    chip.setAttribute("aria-label", `${name.replaceAll("_", " ")}, ${users.length}: ${who}`);
    chip.setAttribute("aria-pressed", String(users.includes(state.viewer)));
    chip.addEventListener("click", () => react(message, name));
    box.append(chip);
  }
}

function fillReplies(button, message) {
  // What only one person sees is no reply, as in Slack.
  const replies = repliesTo(message.ts).filter((reply) => !reply.only_for);
  button.hidden = replies.length === 0 && !message.asked;
  button.dataset.key = "replies";
  button.addEventListener("click", () => openThread(message.ts, true));
  if (message.asked) button.append(reading());
  if (!replies.length) return;
  const verdict = replies.findLast((reply) => reply.user === state.bot && reply.about === message.ts);
  const count = document.createElement("span");
  count.textContent = replies.length === 1 ? "1 reply" : `${replies.length} replies`;
  button.append(count);
  if (verdict) {
    const pill = document.createElement("span");
    pill.className = "pill";
    pill.dataset.verdict = isStale(verdict) ? "stale" : tone(verdict);
    pill.textContent = isStale(verdict) ? "edited since" : verdictOf(verdict);
    button.append(pill);
    if (verdict.answer_ms !== null && !isStale(verdict)) button.append(small(`in ${duration(verdict.answer_ms)}`));
  }
}

function initials(name) {
  return name.split(" ").map((word) => word[0]).slice(0, 2).join("").toUpperCase();
}

function tint(id) {
  return [...state.people.keys()].indexOf(id) % 6;
}

function duration(ms) {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function small(text) {
  const shown = document.createElement("small");
  shown.textContent = text;
  return shown;
}
