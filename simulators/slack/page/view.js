// The main part of the page: a channel with its messages, or the Home tab.
import { block } from "./blocks.js";
import { channelLabel, drawChannels } from "./channels.js";
import { askAbout } from "./composer.js";
import { drawDays } from "./days.js";
import { drawHome } from "./home.js";
import { drawModal } from "./modal.js";
import { call } from "./request.js";
import { drawRow, toBottom } from "./row.js";
import { names, sortedMessages, state } from "./state.js";
import { drawThread } from "./thread.js";
import { drawWelcome } from "./welcome.js";

const $ = (id) => document.getElementById(id);

/** Redraws everything. */
export function drawAll() {
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
export function drawFrame() {
  const list = $("messages");
  list.querySelector(":scope > .empty")?.remove();
  drawDays(list);
  if (list.querySelector(".message")) return;
  const line = document.createElement("li");
  line.className = "empty";
  const channel = state.channels.get(state.channel);
  if (!channel) line.append("You are not in any channels.");
  else line.append("This is the start of ", ...channelLabel(channel), ". Nobody has written here yet.");
  list.append(line);
}

/** Draws the Home tab as it was published last. */
export function showHome() {
  drawHome($("home"), state.home, {
    block,
    press: (action, values) => call("POST", "home/actions", { action, values }),
  });
}

/** Shows the modal that is open for the viewer, or none. */
export function showModal(view) {
  drawModal(view, {
    people: state.people,
    channels: state.channels,
    names: names(),
    viewer: state.viewer,
    submit: (values) => call("POST", "modal", { values }),
    close: () => call("DELETE", "modal", {}),
  });
}
