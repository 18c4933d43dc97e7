// What the page is at: a channel, a message of it, or the Home tab.
import { channelAddress, visit } from "./address.js";
import { call } from "./request.js";
import { state } from "./state.js";
import { toast } from "./status.js";
import { closeThread, openThread } from "./thread.js";
import { drawAll } from "./view.js";

const $ = (id) => document.getElementById(id);

/** Goes to the Home tab, or to a channel and, if the address names one, to a message. */
export function go(target) {
  if (target?.home) return openHome();
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

/** Opens the Home tab, which the bot then publishes. */
function openHome() {
  state.atHome = true;
  closeThread();
  drawAll();
  call("POST", "home", {});
}
