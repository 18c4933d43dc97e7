// The page: the verdict follows what is typed. Nothing is put into the document as HTML.

const PAUSE = 150; // milliseconds without a keystroke before a request
const SHOWN_IN_CURL = 200; // characters
const EXAMPLES = [
  "Thanks, that was a great help!",
  "You are such an 1d10t, nobody wants you here",
  "Damn, good catch. This build is killing me.",
  "I know where you live. You will regret this.",
  "How sweet that you tried. Next time leave it to somebody who understands it.",
];
const KINDS = {
  threat: "threat",
  sexual: "sexual harassment",
  identity: "attack on an identity",
  obscene: "obscenity",
  insult: "insult",
  putdown: "put-down",
};
const REQUESTS = [
  ["Toxic Bot", "/v1/verdicts", (text) => ({ text, explain: true })],
  [
    "Perspective",
    "/v1alpha1/comments:analyze",
    (text) => ({ comment: { text }, requestedAttributes: { TOXICITY: {}, INSULT: {} } }),
  ],
  ["OpenAI", "/v1/moderations", (text) => ({ input: text })],
];

const inWords = (kind) => KINDS[kind] ?? kind;
const element = (id) => document.getElementById(id);
const field = element("text");
let key = "";
let pause;
let running = new AbortController();

function show(verdict, summary) {
  element("verdict").dataset.verdict = verdict;
  // A screen reader announces every change, so there is none without a difference.
  if (element("summary").textContent !== summary) element("summary").textContent = summary;
}

async function ask() {
  running.abort();
  running = new AbortController();
  const text = field.value;
  showRequests(text);
  if (!text.trim()) {
    show("none", "No message yet");
    element("details").hidden = true;
    return;
  }
  const headers = { "Content-Type": "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  try {
    const response = await fetch("/v1/verdicts", {
      method: "POST",
      headers,
      body: JSON.stringify({ text, explain: true }),
      signal: running.signal,
    });
    const body = await response.json();
    if (!response.ok) {
      refuse(response, body.error.message);
      return;
    }
    element("key-form").hidden = true;
    showVerdict(text, body.verdicts[0]);
  } catch (error) {
    if (error.name === "AbortError") return;
    show("none", "The service does not answer");
    element("details").hidden = true;
  }
}

function refuse(response, message) {
  element("details").hidden = true;
  if (response.status === 401) {
    element("key-form").hidden = false;
    show("none", key ? "The key is not valid" : "A key is needed");
    return;
  }
  const seconds = Number(response.headers.get("Retry-After"));
  show("none", seconds ? `Busy, trying again in ${seconds} s` : `Refused: ${message}`);
  if (seconds) schedule(seconds * 1000);
}

function showVerdict(text, verdict) {
  const { score, limit } = verdict;
  const judged = verdict.windows > 0;
  element("details").hidden = !judged;
  if (!judged) {
    show("none", verdict.legible ? "Nothing to judge: no words" : "Not judged: not in a language that I read");
    return;
  }
  const kinds = verdict.kinds.length ? `: ${verdict.kinds.map(inWords).join(", ")}` : "";
  show(verdict.verdict, verdict.verdict === "toxic" ? `Toxic${kinds}` : "Fine");
  const meter = element("meter");
  meter.setAttribute("aria-valuenow", score.toFixed(2));
  meter.setAttribute("aria-valuetext", `${score.toFixed(2)}, toxic from ${limit.toFixed(2)}`);
  meter.querySelector(".fill").style.width = `${score * 100}%`;
  meter.querySelector(".limit").style.left = `${limit * 100}%`;
  element("score").textContent = `Score ${score.toFixed(2)}`;
  element("limit").textContent = `Toxic from ${limit.toFixed(2)}`;
  showKinds(verdict);
  showWords(text, verdict);
  element("reading").textContent = verdict.reading;
}

function showKinds(verdict) {
  // What kind of toxicity a text would show says nothing about one that shows none.
  const likely = verdict.verdict === "toxic" ? Object.entries(verdict.probabilities) : [];
  const rows = likely.sort((one, other) => other[1] - one[1]);
  element("kinds-part").hidden = rows.length === 0;
  element("kinds").replaceChildren(
    ...rows.map(([name, probability]) => {
      const row = document.createElement("li");
      if (verdict.kinds.includes(name)) row.dataset.shown = "";
      const bar = part("span", "bar");
      bar.append(part("span", ""));
      bar.firstChild.style.width = `${probability * 100}%`;
      bar.setAttribute("aria-hidden", "true");
      row.append(part("span", "", inWords(name)), bar, part("span", "value", probability.toFixed(2)));
      return row;
    }),
  );
}

function showWords(text, verdict) {
  const marked = element("marked");
  const words = verdict.words ?? [];
  // The service counts code points, JavaScript counts UTF-16 units.
  const characters = Array.from(text);
  let end = 0;
  marked.replaceChildren();
  for (const word of [...words].sort((one, other) => one.begin - other.begin)) {
    marked.append(characters.slice(end, word.begin).join(""));
    marked.append(part("mark", "", characters.slice(word.begin, word.end).join("")));
    end = word.end;
  }
  marked.append(characters.slice(end).join(""));
  if (verdict.words === null) {
    element("words").textContent = "The text is too long to tell.";
  } else if (words.length === 0) {
    element("words").textContent =
      verdict.verdict === "toxic" ? "No single word, but the whole." : "No word stands out.";
  } else {
    const list = words.map((word) => `${word.word} ${word.effect.toFixed(2)}`);
    element("words").textContent = `Effect on the score: ${list.join(" · ")}`;
  }
}

function part(name, className, text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

function curl(path, body) {
  const quoted = JSON.stringify(body).replaceAll("'", "'\\''");
  const lines = [`curl ${location.origin}${path}`, "-H 'Content-Type: application/json'"];
  if (key) lines.push('-H "Authorization: Bearer $KEY"');
  return [...lines, `-d '${quoted}'`].join(" \\\n  ");
}

function showRequests(text) {
  const shown = Array.from(text.trim() || EXAMPLES[0]).slice(0, SHOWN_IN_CURL).join("");
  const blocks = element("requests").children;
  REQUESTS.forEach(([, path, body], index) => {
    blocks[index].querySelector("code").textContent = curl(path, body(shown));
  });
}

function addRequests() {
  for (const [name] of REQUESTS) {
    const block = element("request").content.cloneNode(true);
    block.querySelector("h3").textContent = name;
    const code = block.querySelector("code");
    const button = block.querySelector(".copy");
    block.querySelector("pre").setAttribute("aria-label", `Request in ${name}'s shape`);
    button.setAttribute("aria-label", `Copy the request in ${name}'s shape`);
    button.addEventListener("click", async () => {
      button.textContent = (await copy(code)) ? "Copied" : "Press Ctrl-C";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    element("requests").append(block);
  }
}

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    // Browsers keep the clipboard from pages that are not on HTTPS or on this machine.
    getSelection().selectAllChildren(code);
    return false;
  }
}

function addExamples() {
  for (const text of EXAMPLES) {
    const button = part("button", "", text);
    button.type = "button";
    button.addEventListener("click", () => {
      field.value = text;
      ask();
    });
    element("examples").append(button);
  }
}

function schedule(milliseconds) {
  clearTimeout(pause);
  pause = setTimeout(ask, milliseconds);
}

element("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  key = element("key").value.trim();
  ask();
});
field.addEventListener("input", () => schedule(PAUSE));
addRequests();
addExamples();
ask();
