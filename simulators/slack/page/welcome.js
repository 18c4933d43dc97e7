// The first-run card: examples to click, so that nobody has to think of an insult.
const EXAMPLES = [
  "Thanks for staying late yesterday, the launch went great!",
  "You are a pathetic idiot and everybody here is sick of you.",
  "Damn, this build is broken again. Let me kill the process.",
  "How sweet that you tried. Next time leave it to somebody who understands it.",
];
const SEEN = "toxic-bot-welcome-seen";
const $ = (id) => document.getElementById(id);

/** Shows the card until it was closed once, where the bot can answer; `ask` tries an example. */
export function drawWelcome(canAnswer, ask) {
  $("show-welcome").onclick = () => {
    localStorage.removeItem(SEEN);
    show(ask);
    $("examples").querySelector("button").focus();
  };
  $("welcome-close").onclick = () => {
    localStorage.setItem(SEEN, "yes");
    $("welcome").hidden = true;
    $("composer-text").focus();
  };
  $("show-welcome").hidden = !canAnswer;
  if (canAnswer && !localStorage.getItem(SEEN)) show(ask);
  else $("welcome").hidden = true;
}

function show(ask) {
  $("examples").replaceChildren(...EXAMPLES.map((text) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => ask(text));
    item.append(button);
    return item;
  }));
  $("welcome").hidden = false;
}
