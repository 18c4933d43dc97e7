// The sidebar: the channels, and the Home tab.
import { channelAddress } from "./address.js";
import { homeLink } from "./home.js";
import { icon } from "./icons.js";
import { state } from "./state.js";

const $ = (id) => document.getElementById(id);

/** Returns a channel's sign and name. */
export function channelLabel(channel) {
  const mark = icon(channel.private ? "lock" : "channel");
  if (!channel.private) return [mark, " ", channel.name];
  const note = document.createElement("span");
  note.className = "hidden";
  note.textContent = " (private)";
  return [mark, " ", channel.name, note];
}

export function drawChannels() {
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
  }), homeLink(state.atHome));
  if (focused) $("channels").querySelector(`[href="${focused}"]`)?.focus();
}
