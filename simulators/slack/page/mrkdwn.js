// Slack mrkdwn to DOM nodes. Text becomes text nodes only: nothing is parsed as HTML.
import { channelAddress } from "./address.js";
import { emoji } from "./emoji.js";
import { emojiElement } from "./glyphs.js";

const PATTERN = new RegExp(
  [
    "```([\\s\\S]+?)```", // 1 code block
    "`([^`\\n]+)`", // 2 code
    "<@(\\w+)(?:\\|[^>]*)?>", // 3 user
    "<#(\\w+)(?:\\|([^>]*))?>", // 4 channel, 5 its name
    "<!date\\^(\\d+\\^[^|>]*)\\|[^>]*>", // 6 Unix seconds and the form of the time
    "<!(\\w+)(?:[^>]*)?>", // 7 here, channel or everyone
    "<((?:https?|mailto):[^|>]+)(?:\\|([^>]*))?>", // 8 URL, 9 label
    ":([a-z0-9_+'-]+):(?::skin-tone-[2-6]:)?", // 10 emoji
    "(?<![\\w*])\\*(?=\\S)([^*\\n]+?)(?<=\\S)\\*(?![\\w*])", // 11 bold
    "(?<![\\w_])_(?=\\S)([^_\\n]+?)(?<=\\S)_(?![\\w_])", // 12 italic
    "(?<![\\w~])~(?=\\S)([^~\\n]+?)(?<=\\S)~(?![\\w~])", // 13 strikethrough
  ].join("|"),
  "g",
);

/** Renders mrkdwn as a DOM fragment; `names` maps user IDs to names, `viewer` is one of them. */
export function render(mrkdwn, names, viewer = "") {
  const fragment = document.createDocumentFragment();
  let end = 0;
  for (const match of mrkdwn.matchAll(PATTERN)) {
    fragment.append(unescape(mrkdwn.slice(end, match.index)), node(match, names, viewer));
    end = match.index + match[0].length;
  }
  fragment.append(unescape(mrkdwn.slice(end)));
  return fragment;
}

/** Returns mrkdwn as somebody would type it: without markup for links and mentions. */
export function typed(mrkdwn, names) {
  return unescape(mrkdwn
    .replace(/<@(\w+)(?:\|[^>]*)?>/g, (_, user) => `@${names.get(user) ?? user}`)
    .replace(/<#(\w+)(?:\|([^>]*))?>/g, (_, channel, name) => `#${name || names.get(channel) || channel}`)
    .replace(/<!(here|channel|everyone)(?:\|[^>]*)?>/g, "@$1")
    .replace(/<((?:https?|mailto):[^|>]+)(?:\|([^>]*))?>/g, (_, url, label) => label || url));
}

function node(match, names, viewer) {
  const [whole, block, code, user, channel, channelName, time, all, url, label, short] = match;
  const [bold, italic, struck] = match.slice(11);
  if (block !== undefined) return element("pre", unescape(block.replace(/^\n|\n$/g, "")));
  if (code !== undefined) return element("code", unescape(code));
  if (user) {
    return element("span", `@${names.get(user) ?? user}`, user === viewer ? "mention self" : "mention");
  }
  if (channel) return channelLink(channel, `#${channelName || names.get(channel) || channel}`);
  if (time) return element("time", moment(...time.split("^")));
  if (all) return element("span", `@${all}`, "mention");
  if (url) return link(unescape(url), unescape(label || url.replace(/^mailto:/, "")));
  if (short) return symbol(short, whole);
  if (bold !== undefined) return wrap("strong", bold, names, viewer);
  if (italic !== undefined) return wrap("em", italic, names, viewer);
  return wrap("s", struck, names, viewer);
}

function symbol(short, whole) {
  if (!emoji(short)) return document.createTextNode(whole);
  const span = emojiElement(short);
  span.setAttribute("role", "img");
  span.setAttribute("aria-label", short.replaceAll("_", " "));
  return span;
}

/** Returns a time as its form says, of which Slack knows more than these. */
function moment(seconds, form) {
  const at = new Date(seconds * 1000);
  return form
    .replace("{time_secs}", at.toLocaleTimeString())
    .replace("{time}", at.toLocaleTimeString([], { timeStyle: "short" }))
    .replace("{date_short_pretty}", at.toLocaleDateString([], { dateStyle: "medium" }));
}

function channelLink(channel, label) {
  const anchor = element("a", label, "mention");
  anchor.href = channelAddress(channel);
  return anchor;
}

function link(url, label) {
  const anchor = element("a", label);
  anchor.href = url;
  anchor.target = "_blank";
  anchor.rel = "noreferrer";
  return anchor;
}

function wrap(tag, mrkdwn, names, viewer) {
  const outer = document.createElement(tag);
  outer.append(render(mrkdwn, names, viewer));
  return outer;
}

function element(tag, text, className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

function unescape(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
