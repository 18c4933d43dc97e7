// A small Slack client: loads the state once, then follows changes through server-sent events.
import { followAddresses } from "./address.js";
import { startComposers } from "./composer.js";
import { listen } from "./feed.js";
import { fillIcons } from "./icons.js";
import { currentRow, navigate, navigateParts } from "./navigation.js";
import { go } from "./route.js";
import { state } from "./state.js";
import { closeThread } from "./thread.js";

const $ = (id) => document.getElementById(id);
const box = () => (state.atHome ? $("home").querySelector("textarea, button") : $("composer-text"));

fillIcons(document);
startComposers();
$("thread-close").addEventListener("click", closeThread);
document.addEventListener("keydown", (event) => {
  const isFree = !event.defaultPrevented && !document.querySelector("dialog[open]");
  if (event.key === "Escape" && isFree && state.thread) closeThread();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address of the page is that of a channel or a message
  box()?.focus();
});
navigate($("messages"));
navigate($("thread-messages"));
navigateParts([
  () => $("channels").querySelector("[aria-current]"),
  () => currentRow($("messages")), box,
  () => currentRow($("thread-messages")), () => $("thread-text"),
]);
followAddresses(go);
listen();
