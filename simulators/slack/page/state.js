// What the page knows of the workspace, and what it shows at the moment.
import { typed } from "./mrkdwn.js";

export const state = {
  viewer: "", bot: "", asking: [], people: new Map(), channels: new Map(), messages: new Map(),
  channel: "", thread: "", editing: "", unfolded: new Set(), unread: new Set(), held: null,
  opener: "",
  home: null, atHome: false,
};

/** Returns the names of people and channels by their IDs. */
export function names() {
  return new Map([...state.people.values(), ...state.channels.values()].map((one) => [one.id, one.name]));
}

/** Returns the text of a message as somebody would type it. */
export function plain(message) {
  return typed(message.text, names());
}

/** Returns the messages of the channel for which `matches` holds, the oldest first. */
export function sortedMessages(matches) {
  return [...state.messages.values()]
    .filter((one) => one.channel === state.channel && matches(one))
    .sort((one, other) => (one.ts < other.ts ? -1 : 1));
}

export function repliesTo(ts) {
  return sortedMessages((one) => one.thread === ts);
}
