// A small Slack client: loads the state once, then follows changes through server-sent events.
import { channelAddress, followAddresses, messageAddress, place, visit } from "./address.js";
import { drawDays } from "./days.js";
import { deleteLater, isBeingDeleted, undoDeletion } from "./deletion.js";
import { EMOJI } from "./emoji.js";
import { emojiElement } from "./glyphs.js";
import { fillIcons, icon } from "./icons.js";
import { drawModal } from "./modal.js";
import { render, typed } from "./mrkdwn.js";
import { adopt, currentRow, navigate, navigateParts, removeRow } from "./navigation.js";
import { drawHome, homeButton } from "./home.js";
import { closePicker, openPicker } from "./picker.js";
import { showReading } from "./reading.js";
import { announce, showConnection, toast } from "./status.js";
import { drawWelcome } from "./welcome.js";

const LONG = 600; // characters; a longer message is folded
const WIDE = window.matchMedia("(min-width: 1000px)");
const TOUCH = window.matchMedia("(hover: none)");

const $ = (id) => document.getElementById(id);
const state = {
  viewer: "", bot: "", asking: [], people: new Map(), channels: new Map(), messages: new Map(),
  channel: "", thread: "", editing: "", unfolded: new Set(), unread: new Set(), held: null,
  opener: "",
  home: null, atHome: false,
};
const RETRY = 2000; // milliseconds

start();

function start() {
  fillIcons(document);
  $("composer").addEventListener("submit", send);
  $("thread-composer").addEventListener("submit", send);
  for (const box of document.querySelectorAll(".composer textarea")) {
    box.addEventListener("keydown", submitOnEnter);
    box.addEventListener("keydown", editLastOnArrowUp);
    box.addEventListener("input", () => grow(box));
  }
  $("thread-close").addEventListener("click", closeThread);
  document.addEventListener("keydown", (event) => {
    const isFree = !event.defaultPrevented && !document.querySelector("dialog[open]");
    if (event.key === "Escape" && isFree && state.thread) closeThread();
  });
  navigate($("messages"));
  navigate($("thread-messages"));
  navigateParts([
    () => $("channels").querySelector("[aria-current]"),
    () => currentRow($("messages")), () => $("composer-text"),
    () => currentRow($("thread-messages")), () => $("thread-text"),
  ]);
  followAddresses(go);
  listen();
}

function listen() {
  const feed = new EventSource("/client/feed");
  feed.onopen = async () => {
    try {
      await load(); // also catches up on what changed while there was no connection
    } catch {
      return; // the connection is lost again, which the feed reports
    }
    showConnection("connected");
  };
  feed.onerror = () => {
    showConnection("reconnecting");
    if (feed.readyState === EventSource.CLOSED) setTimeout(listen, RETRY);
  };
  feed.onmessage = (event) => change(JSON.parse(event.data));
}

async function load() {
  state.held ??= []; // changes that arrive meanwhile may be newer than the state
  const answer = await fetch("/client/state");
  const loaded = await answer.json();
  Object.assign(state, {
    viewer: loaded.viewer, bot: loaded.bot, asking: loaded.asking, home: loaded.home,
  });
  state.people = new Map(loaded.people.map((person) => [person.id, person]));
  state.channels = new Map(loaded.channels.map((channel) => [channel.id, channel]));
  state.messages = new Map(loaded.messages.map((message) => [message.ts, message]));
  const isFirst = !state.channel;
  if (!state.channels.has(state.channel)) state.channel = loaded.channels[0]?.id ?? "";
  $("hint-emoji").replaceChildren(...state.asking.map(emojiElement));
  if (isFirst) go(place(new URL(location.href)));
  else drawAll();
  showModal(loaded.modal);
  const held = state.held ?? [];
  state.held = null;
  held.forEach(change);
}

/** Goes to a channel and, if the address names one, to a message. */
function go(target) {
  const isKnown = state.channels.has(target?.channel);
  if (!isKnown && location.pathname !== "/") {
    toast("There is no such channel here, or you are not in it.");
  }
  if (isKnown && (state.atHome || target.channel !== state.channel)) {
    state.channel = target.channel;
    state.atHome = false;
    closeThread();
  }
  if (!isKnown && state.channel) visit(channelAddress(state.channel), { replace: true });
  drawAll();
  if (isKnown && target.ts) reveal(target.ts);
}

function reveal(ts) {
  const message = state.messages.get(ts);
  if (message?.channel !== state.channel) return toast("This message is gone.");
  if (message.thread) openThread(message.thread);
  const list = $(message.thread ? "thread-messages" : "messages");
  const row = list.querySelector(`[data-ts="${ts}"]`);
  row.scrollIntoView({ block: "center" });
  row.focus({ preventScroll: true });
}

function change(message) {
  if (state.held) {
    state.held.push(message);
    return;
  }
  if (message.home) {
    state.home = message.home;
    if (state.atHome) showHome();
    return;
  }
  if ("modal" in message) {
    showModal(message.modal);
    return;
  }
  const isNew = !state.messages.has(message.ts);
  if (message.gone) state.messages.delete(message.ts);
  else state.messages.set(message.ts, message);
  if (message.channel !== state.channel) {
    if (isNew) state.unread.add(message.channel);
    drawChannels();
    return;
  }
  if (isNew && !message.gone) announceMessage(message);
  if (message.gone) {
    if (message.ts === state.thread) closeThread();
    for (const list of document.querySelectorAll(".messages")) {
      const row = list.querySelector(`[data-ts="${message.ts}"]`);
      if (row) removeRow(list, row);
    }
  }
  drawRow($("messages"), state.messages.get(message.thread ?? message.ts));
  if (isNew || message.gone) drawFrame();
  if (state.thread === (message.thread ?? message.ts)) drawThread();
}

function announceMessage(message) {
  const author = state.people.get(message.user)?.name ?? message.user;
  if (message.user === state.bot) announce(plain(message));
  else if (message.user !== state.viewer && message.thread && message.thread === state.thread) {
    announce(`${author}: ${typed(message.text, names())}`);
  }
}

// ---------------------------------------------------------------- drawing

function drawAll() {
  drawChannels();
  $("home").hidden = !state.atHome;
  $("messages").hidden = state.atHome;
  if (state.atHome) {
    $("channel-name").textContent = "Toxic Bot";
    $("channel-note").textContent = "Home";
    $("composer").hidden = true;
    showHome();
    return;
  }
  const channel = state.channels.get(state.channel);
  $("channel-name").replaceChildren(...(channel ? channelLabel(channel) : ["No channel"]));
  document.title = channel ? `${channel.name} – Local workspace` : "Local workspace";
  $("channel-note").textContent = !channel ? ""
    : channel.archived ? "archived" : channel.private ? "private"
    : channel.bot ? "" : "the bot is not in this channel";
  const mark = channel?.private ? "" : "#";
  $("composer-text").placeholder = channel ? `Message ${mark}${channel.name}` : "";
  $("composer").hidden = !channel || channel.archived;
  $("messages").replaceChildren();
  for (const message of sortedMessages((one) => !one.thread)) drawRow($("messages"), message);
  drawFrame();
  drawWelcome(channel?.bot && !channel.archived && state.asking.length > 0, askAbout);
  toBottom($("messages"));
  if (state.thread) drawThread();
}

/** Draws what the messages of a channel stand between. */
function drawFrame() {
  const list = $("messages");
  list.querySelector(":scope > .empty")?.remove();
  drawDays(list);
  if (list.querySelector(".message")) return;
  const line = document.createElement("li");
  line.className = "empty";
  const channel = state.channels.get(state.channel);
  if (!channel) line.append("You are not in any channel.");
  else line.append("This is the start of ", ...channelLabel(channel), ". Nobody has written here yet.");
  list.append(line);
}

function channelLabel(channel) {
  const mark = icon(channel.private ? "lock" : "channel");
  if (!channel.private) return [mark, " ", channel.name];
  const note = document.createElement("span");
  note.className = "hidden";
  note.textContent = " (private)";
  return [mark, " ", channel.name, note];
}

function drawChannels() {
  const focused = document.activeElement?.closest("#channels a")?.getAttribute("href");
  state.unread.delete(state.channel);
  $("channels").replaceChildren(...[...state.channels.values()].map((channel) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = channelAddress(channel.id);
    link.append(...channelLabel(channel));
    if (state.unread.has(channel.id)) {
      link.classList.add("unread");
      const note = document.createElement("span");
      note.className = "hidden";
      note.textContent = ", unread";
      link.append(note);
    }
    if (channel.id === state.channel && !state.atHome) link.setAttribute("aria-current", "page");
    item.append(link);
    return item;
  }), homeButton(state.atHome, () => {
    state.atHome = true;
    closeThread();
    drawAll();
    call("POST", "home", {});
  }));
  if (focused) $("channels").querySelector(`[href="${focused}"]`)?.focus();
}

function showHome() {
  drawHome($("home"), state.home, {
    block,
    press: (action, values) => call("POST", "home/actions", { action, values }),
  });
}

function showModal(view) {
  drawModal(view, {
    people: state.people,
    names: names(),
    viewer: state.viewer,
    submit: (values) => call("POST", "modal", { values }),
    close: () => call("DELETE", "modal", {}),
  });
}

function drawThread() {
  const list = $("thread-messages");
  const parent = state.messages.get(state.thread);
  if (!parent) return closeThread();
  const shown = [parent, ...repliesTo(parent.ts)];
  const known = new Set(shown.map((message) => message.ts));
  for (const row of [...list.children]) if (!known.has(row.dataset.ts)) row.remove();
  for (const message of shown) drawRow(list, message);
  drawDays(list);
  list.querySelector(".typing")?.remove();
  if (shown.some((message) => message.asked)) {
    const typing = document.createElement("li");
    typing.className = "typing";
    typing.append(reading());
    list.append(typing);
  }
  toBottom(list);
}

function drawRow(list, message) {
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
  if (isStale(message)) notes.append(small("The message was edited after this answer."));
  if (message.answer_ms !== null) {
    const took = small(`answered in ${duration(message.answer_ms)}`);
    took.prepend(icon("clock"), " ");
    notes.append(took);
  }
  const judged = state.messages.get(message.about);
  if (judged && !judged.deleted) notes.append(howButton(judged));
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

function block(one, message) {
  if (one.type === "actions") return actions(one, message);
  const shown = document.createElement("div");
  shown.className = `block ${one.type}`;
  if (one.type === "divider") return document.createElement("hr");
  const texts = one.type === "context" ? one.elements : [one.text, ...(one.fields ?? [])];
  for (const part of texts.filter(Boolean)) {
    const line = document.createElement("div");
    line.dir = "auto";
    if (part.type === "plain_text") line.textContent = part.text;
    else line.append(render(part.text ?? "", names(), state.viewer));
    shown.append(line);
  }
  return shown;
}

function actions(one, message) {
  const shown = document.createElement("div");
  shown.className = "block actions";
  for (const element of one.elements) {
    const button = tool(`action-${element.action_id}`, element.text.text, element.text.text, () =>
      call("POST", "actions", {
        channel: message.channel, ts: message.ts, action: element.action_id,
      }));
    button.className = "action";
    button.removeAttribute("title");
    shown.append(button);
  }
  return shown;
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
  const replies = repliesTo(message.ts);
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

function fillTools(tools, message, list) {
  const ask = state.asking[0];
  if (ask && message.user !== state.bot) {
    tools.append(tool("ask", "ask", "Ask the bot for a verdict", () => react(message, ask)));
  }
  if (message.user !== state.bot) {
    tools.append(tool("shortcut", "how", "Is this toxic?", () =>
      call("POST", "shortcuts", { channel: message.channel, ts: message.ts })));
  }
  tools.append(tool("react", "react", "Add a reaction", (event) =>
    openPicker(event.currentTarget, EMOJI, (name) => react(message, name))));
  if (list === $("messages")) {
    tools.append(tool("reply", "reply", "Reply in thread", () => openThread(message.ts, true)));
  }
  if (message.user === state.viewer) {
    tools.append(tool("edit", "edit", "Edit message", () => edit(message, list)));
    tools.append(tool("delete", "delete", "Delete message", () => remove(message)));
  }
}

function tool(key, sign, label, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(icon(sign) ?? sign);
  button.title = label;
  button.dataset.key = key;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", action);
  return button;
}

function reading() {
  const line = document.createElement("span");
  line.className = "reading";
  line.append("Toxic Bot is reading", document.createElement("i"));
  return line;
}

// ---------------------------------------------------------------- actions

async function send(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const box = form.querySelector("textarea");
  const text = box.value.trim();
  if (!text) return;
  const body = { channel: state.channel, text };
  if (form.dataset.thread) body.thread_ts = state.thread;
  const command = text.match(/^\/toxic(?:\s+([^]*))?$/);
  if (command) body.text = command[1] ?? "";
  box.value = "";
  grow(box);
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
  box.focus();
}

/** Posts a text and asks for a verdict on it. */
async function askAbout(text) {
  const message = await call("POST", "messages", { channel: state.channel, text });
  if (!message) return;
  change(message);
  toBottom($("messages"));
  await react(message, state.asking[0]);
}

function remove(message) {
  const { channel, ts } = message;
  const send = (isLeaving) => call("DELETE", "messages", { channel, ts }, isLeaving);
  deleteLater(message, send, () => {
    for (const list of document.querySelectorAll(".messages")) {
      const row = list.querySelector(`[data-ts="${ts}"]`);
      if (!row) continue;
      const hadFocus = row.contains(document.activeElement);
      drawRow(list, state.messages.get(ts));
      const drawn = list.querySelector(`[data-ts="${ts}"]`);
      if (hadFocus) (drawn?.querySelector('[data-key="undo"]') ?? drawn)?.focus();
    }
  });
}

async function react(message, name) {
  const mine = message.reactions.some(
    (one) => one.name === name && one.users.includes(state.viewer));
  const done = await call("POST", "reactions", { channel: message.channel, ts: message.ts, name });
  if (done && !mine && state.asking.includes(name) && WIDE.matches) {
    openThread(message.thread ?? message.ts, true);
  }
}

function edit(message, list) {
  const row = list.querySelector(`[data-ts="${message.ts}"]`);
  const form = document.createElement("form");
  form.className = "editor";
  const box = document.createElement("textarea");
  box.value = typed(message.text, names());
  box.dir = "auto";
  box.setAttribute("aria-label", "Edit message");
  box.maxLength = 40000;
  const save = tool("save", "Save", "Save changes", () => {});
  save.type = "submit";
  save.className = "primary";
  const done = () => {
    state.editing = "";
    drawRow(list, state.messages.get(message.ts));
    list.querySelector(`[data-ts="${message.ts}"] [data-key="edit"]`)?.focus();
  };
  const cancel = tool("cancel", "Cancel", "Cancel editing", done);
  form.append(box, cancel, save);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = box.value.trim();
    const { channel, ts } = message;
    if (text && (await call("PATCH", "messages", { channel, ts, text }))) done();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      done();
    } else submitOnEnter(event);
  });
  state.editing = `${list.id}/${message.ts}`;
  row.querySelector(".body").replaceChildren(form);
  row.querySelector(".tools").remove();
  grow(box);
  box.focus();
  form.scrollIntoView({ block: "nearest" });
}

/** Sends a request; returns what it is answered with, or null after an error, which is shown. */
async function call(method, path, body, keepalive = false) {
  try {
    const answer = await fetch(`/client/${path}`, {
      method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), keepalive,
    });
    if (answer.ok) return await answer.json();
    const { error } = await answer.json();
    toast(`Request failed: ${String(error).replaceAll("_", " ")}`);
  } catch {
    toast("The workspace is not responding. Is it still running?");
  }
  return null;
}

function openThread(ts, focus = false) {
  const active = document.activeElement;
  if ($("messages").contains(active)) state.opener = active.dataset.key ?? "";
  state.thread = ts;
  $("thread").hidden = false;
  document.body.classList.add("with-thread");
  $("thread-messages").replaceChildren();
  delete $("thread-messages").dataset.current;
  drawThread();
  // On a touch screen, a focused text box would cover half of the thread with a keyboard.
  if (focus) $(TOUCH.matches ? "thread-close" : "thread-text").focus();
}

function closeThread() {
  const ts = state.thread;
  if (!ts) return;
  state.thread = "";
  closePicker();
  $("thread").hidden = true;
  document.body.classList.remove("with-thread");
  const row = $("messages").querySelector(`[data-ts="${ts}"]`);
  const opener = row?.querySelector(`[data-key="${CSS.escape(state.opener)}"]`);
  (opener?.checkVisibility() ? opener : row)?.focus();
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

// ---------------------------------------------------------------- helpers

function sortedMessages(matches) {
  return [...state.messages.values()]
    .filter((one) => one.channel === state.channel && matches(one))
    .sort((one, other) => (one.ts < other.ts ? -1 : 1));
}

function repliesTo(ts) {
  return sortedMessages((one) => one.thread === ts);
}

function names() {
  return new Map([...state.people.values(), ...state.channels.values()].map((one) => [one.id, one.name]));
}

function plain(message) {
  return typed(message.text, names());
}

/** Reports whether an answer is about an earlier version of its message. */
function isStale(answer) {
  const judged = state.messages.get(answer.about);
  return Boolean(judged) && !judged.deleted && judged.edited !== answer.about_version;
}

/** Returns the kind of a verdict, based on the emoji that it starts with. */
function tone(message) {
  const first = message.blocks[0]?.text?.text ?? "";
  if (first.startsWith(":large_orange_circle:")) return "toxic";
  if (first.startsWith(":white_check_mark:")) return "fine";
  return "nothing";
}

function verdictOf(message) {
  return { toxic: "toxic", fine: "not toxic", nothing: "nothing to judge" }[tone(message)];
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

function grow(box) {
  box.style.height = "";
  if (box.value) box.style.height = `${Math.min(box.scrollHeight + 2, 240)}px`;
}

function toBottom(list) {
  list.scrollTop = list.scrollHeight;
}

function submitOnEnter(event) {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.target.form.requestSubmit();
}
