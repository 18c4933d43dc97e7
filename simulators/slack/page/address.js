// Addresses of channels and messages, in the form of Slack's permalinks, and of the Home tab.
const PATH = /^\/archives\/(\w+)(?:\/p(\d+)(\d{6}))?$/;
export const HOME = "/home";

export function channelAddress(channel) {
  return `/archives/${channel}`;
}

export function messageAddress(message) {
  const thread = message.thread ? `?thread_ts=${message.thread}&cid=${message.channel}` : "";
  return `${channelAddress(message.channel)}/p${message.ts.replace(".", "")}${thread}`;
}

/** Returns the channel and the message that an address names, or null if it names none. */
export function place(url) {
  if (url.origin === location.origin && url.pathname === HOME) return { home: true };
  const match = url.origin === location.origin ? PATH.exec(url.pathname) : null;
  return match && { channel: match[1], ts: match[2] ? `${match[2]}.${match[3]}` : "" };
}

/** Goes to an address of this page without reloading it. */
export function visit(address, { replace = false } = {}) {
  if (address === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
}

/** Calls `go` with the place that a link of this page or the browser's history leads to. */
export function followAddresses(go) {
  window.addEventListener("popstate", () => go(place(new URL(location.href))));
  document.addEventListener("click", (event) => {
    const anchor = event.target.closest?.("a[href]");
    if (!anchor || event.defaultPrevented || event.button) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const found = place(new URL(anchor.href));
    if (!found) return;
    event.preventDefault();
    visit(anchor.pathname + anchor.search);
    go(found);
  });
}
