// The state, loaded once, and what changes it: server-sent events.
import { place } from "./address.js";
import { drawChannels } from "./channels.js";
import { emojiElement } from "./glyphs.js";
import { typed } from "./mrkdwn.js";
import { removeRow, toNewest } from "./navigation.js";
import { go } from "./route.js";
import { drawRow } from "./row.js";
import { names, plain, state } from "./state.js";
import { announce, showConnection } from "./status.js";
import { closeThread, drawThread } from "./thread.js";
import { drawAll, drawFrame, showHome, showModal } from "./view.js";

const RETRY = 2000; // milliseconds
const $ = (id) => document.getElementById(id);

/** Keeps what the page shows up to date. */
export function listen() {
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

/** Takes a message that is new or has changed, or a new Home tab. */
export function change(message) {
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
  // What one has just written, or was just told, is what one turns to next.
  if (isNew && (message.user === state.viewer || message.only_for)) {
    toNewest($(message.thread ? "thread-messages" : "messages"));
  }
  drawRow($("messages"), state.messages.get(message.thread ?? message.ts));
  if (isNew || message.gone) drawFrame();
  if (state.thread === (message.thread ?? message.ts)) drawThread();
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
  // Private answers are in no state: they last until the page is loaded anew.
  const own = [...state.messages.values()].filter((message) => message.only_for);
  state.messages = new Map([...loaded.messages, ...own].map((message) => [message.ts, message]));
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

function announceMessage(message) {
  const author = state.people.get(message.user)?.name ?? message.user;
  if (message.user === state.bot) announce(plain(message));
  else if (message.user !== state.viewer && message.thread && message.thread === state.thread) {
    announce(`${author}: ${typed(message.text, names())}`);
  }
}
