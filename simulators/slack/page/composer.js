// The boxes that messages and commands are written in.
import { isBeingDeleted } from "./deletion.js";
import { edit } from "./editor.js";
import { change } from "./feed.js";
import { call } from "./request.js";
import { toBottom } from "./row.js";
import { state } from "./state.js";
import { toast } from "./status.js";
import { grow, submitOnEnter } from "./textbox.js";
import { ask } from "./tools.js";

const $ = (id) => document.getElementById(id);

/** Lets the boxes send, grow and, while they are empty, edit the last message. */
export function startComposers() {
  for (const form of document.querySelectorAll(".composer")) {
    const box = form.querySelector("textarea");
    form.addEventListener("submit", send);
    box.addEventListener("keydown", submitOnEnter);
    box.addEventListener("keydown", editLastOnArrowUp);
    box.addEventListener("input", () => grow(box));
  }
}

/** Posts a text and asks for a verdict on it. */
export async function askAbout(text) {
  const message = await call("POST", "messages", { channel: state.channel, text });
  if (!message) return;
  change(message);
  toBottom($("messages"));
  await ask(message);
}

async function send(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const box = form.querySelector("textarea");
  const text = box.value.trim();
  if (!text) return;
  const body = { channel: state.channel, text };
  if (form.dataset.thread) body.thread_ts = state.thread;
  const command = text.match(/^\/toxic(?:\s+([^]*))?$/);
  const other = command ? null : box.value.match(/^\/[^\s/]+(?=\s|$)/);
  if (other) {
    toast(`${other[0]} is not a valid command. To send it as a message, put a space before it.`);
    return;
  }
  if (command) body.text = command[1] ?? "";
  box.value = "";
  grow(box);
  box.focus(); // now: when the answer comes, somebody may be elsewhere
  const list = $(form.dataset.thread ? "thread-messages" : "messages");
  const sent = await call("POST", command ? "commands" : "messages", body);
  if (sent && command) {
    toBottom(list);
  } else if (sent) {
    change(sent); // the feed may be slower
    toBottom(list);
  } else {
    box.value = text;
    grow(box);
  }
}

function editLastOnArrowUp(event) {
  if (event.key !== "ArrowUp" || event.target.value) return;
  const list = $(event.target.form.dataset.thread ? "thread-messages" : "messages");
  const mine = [...list.querySelectorAll(".message")]
    .map((row) => state.messages.get(row.dataset.ts))
    .findLast((one) => one.user === state.viewer && !one.deleted && !isBeingDeleted(one));
  if (!mine) return;
  event.preventDefault();
  edit(mine, list);
}
