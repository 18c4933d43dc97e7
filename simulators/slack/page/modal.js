// A modal of the app: a form in a dialog, whose fields say what is wrong with them.
import { render } from "./mrkdwn.js";

const $ = (id) => document.getElementById(id);
let shown = ""; // the modal's ID
let opener = null;

/** Shows a modal, or closes it if there is none any more. */
export function drawModal(view, { people, channels, names, viewer, submit, close }) {
  const dialog = $("modal");
  if (!view) {
    if (dialog.open) dialog.close();
    return;
  }
  if (view.id === shown && dialog.open) return;
  shown = view.id;
  if (!dialog.open) opener = document.activeElement;
  $("modal-title").textContent = view.title.text;
  $("modal-submit").hidden = !view.submit;
  $("modal-submit").textContent = view.submit?.text ?? "";
  $("modal-submit").disabled = false;
  $("modal-cancel").textContent = view.close.text;
  $("modal-problem").textContent = "";
  $("modal-fields").replaceChildren(...view.blocks.map((one) =>
    one.type === "input" ? field(one, people, channels) : paragraph(one, names, viewer)));
  $("modal-cancel").onclick = $("modal-close").onclick = () => dialog.close();
  dialog.onclose = () => {
    shown = "";
    close();
    // The browser gives the focus back, unless the element was redrawn meanwhile.
    const focused = document.activeElement;
    if (focused !== document.body && !dialog.contains(focused)) return;
    const key = opener?.dataset?.key;
    const ts = opener?.closest?.("[data-ts]")?.dataset.ts;
    const row = ts && document.querySelector(`[data-ts="${ts}"]`);
    const again = row && key && row.querySelector(`[data-key="${CSS.escape(key)}"]`);
    (opener?.isConnected ? opener : again || row || $("composer-text"))?.focus();
  };
  dialog.onkeydown = (event) => keepFocus(event, dialog);
  $("modal-form").onsubmit = async (event) => {
    event.preventDefault();
    $("modal-submit").disabled = true;
    showErrors(view.blocks, {});
    const answer = await submit(values(view.blocks));
    $("modal-submit").disabled = false;
    // Another view may have taken its place meanwhile.
    if (answer && shown === view.id) showErrors(view.blocks, answer.errors);
  };
  if (!dialog.open) dialog.showModal();
  else $(view.submit ? "modal-submit" : "modal-cancel").focus();
}

/** Keeps Tab within the dialog; everything behind it is inert. */
function keepFocus(event, dialog) {
  if (event.key !== "Tab") return;
  const stops = [...dialog.querySelectorAll("button, input, select, textarea")]
    .filter((one) => !one.disabled && !one.hidden && (one.type !== "radio" || one.checked));
  const [first, last] = [stops[0], stops.at(-1)];
  const end = event.shiftKey ? first : last;
  if (document.activeElement !== end) return;
  event.preventDefault();
  (event.shiftKey ? last : first).focus();
}

function paragraph(one, names, viewer) {
  const text = document.createElement("p");
  text.append(render(one.text?.text ?? "", names, viewer));
  return text;
}

function field({ block_id: id, label, hint, optional, element }, people, channels) {
  const box = document.createElement(isGroup(element) ? "fieldset" : "div");
  const title = document.createElement(isGroup(element) ? "legend" : "label");
  box.className = "field";
  box.dataset.block = id;
  title.textContent = optional ? `${label.text} (optional)` : label.text;
  if (!isGroup(element)) title.htmlFor = `modal-${id}`;
  const note = document.createElement("p");
  note.className = "hint-text";
  note.id = `modal-${id}-hint`;
  note.textContent = hint?.text ?? "";
  const error = document.createElement("p");
  error.className = "error";
  error.id = `modal-${id}-error`;
  box.append(title, ...inputs(id, element, people, channels), note, error);
  for (const input of box.querySelectorAll("input, select, textarea")) {
    input.setAttribute("aria-describedby", `${note.id} ${error.id}`);
  }
  return box;
}

function isGroup({ type }) {
  return type === "radio_buttons" || type === "multi_users_select";
}

function inputs(id, element, people, channels) {
  if (element.type === "static_select") return [select(id, options(element))];
  if (element.type === "multi_conversations_select") {
    return [select(id, conversations(element, [...channels.values()]))];
  }
  if (element.type === "radio_buttons") {
    return element.options.map(({ text, value }) =>
      choice("radio", id, value, text.text, element.initial_option?.value === value));
  }
  if (element.type === "multi_users_select") {
    const list = document.createElement("div");
    list.className = "people";
    list.append(...[...people.values()].filter((one) => !one.bot).map((one) =>
      choice("checkbox", id, one.id, one.name, element.initial_users?.includes(one.id))));
    return [list];
  }
  const input = document.createElement(element.multiline ? "textarea" : "input");
  input.id = `modal-${id}`;
  if (element.multiline) input.rows = 3;
  else input.type = "text";
  if (element.max_length) input.maxLength = element.max_length;
  if (element.type === "number_input") input.inputMode = "numeric";
  input.value = element.initial_value ?? "";
  input.placeholder = element.placeholder?.text ?? "";
  input.autocomplete = "off";
  return [input];
}

function select(id, options) {
  const list = document.createElement("select");
  list.id = `modal-${id}`;
  list.append(...options);
  return list;
}

function options(element) {
  return element.options.map(({ text, value }) =>
    new Option(text.text, value, false, element.initial_option?.value === value));
}

/** Returns no channel and each channel that can be chosen; here, one of them at most. */
function conversations(element, channels) {
  const found = channels.filter((one) => !one.archived);
  return [new Option("", ""), ...found.map((one) =>
    new Option(`#${one.name}`, one.id, false, element.initial_conversations?.includes(one.id)))];
}

function choice(type, name, value, text, checked) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  Object.assign(input, { type, name, value, checked: Boolean(checked) });
  label.className = "choice";
  label.append(input, " ", text);
  return label;
}

/** Returns the state of the inputs as Slack sends it. */
function values(blocks) {
  const state = {};
  for (const { type, block_id: id, element } of blocks) {
    if (type === "input") state[id] = { [element.action_id]: { type: element.type, ...value(id, element) } };
  }
  return state;
}

function value(id, element) {
  const box = document.querySelector(`#modal [data-block="${id}"]`);
  const checked = [...box.querySelectorAll("input:checked")].map((one) => one.value);
  if (element.type === "multi_users_select") return { selected_users: checked };
  if (element.type === "multi_conversations_select") {
    return { selected_conversations: [box.querySelector("select").value].filter(Boolean) };
  }
  const chosen = { radio_buttons: checked[0], static_select: box.querySelector("select")?.value }[element.type];
  if (chosen !== undefined) {
    return { selected_option: element.options.find((one) => one.value === chosen) };
  }
  return { value: box.querySelector("input, textarea").value || null };
}

/** Shows what is wrong beside the fields, announces it, and goes to the first of them. */
function showErrors(blocks, errors) {
  let first = null;
  for (const { type, block_id: id } of blocks) {
    if (type !== "input") continue;
    const box = document.querySelector(`#modal [data-block="${id}"]`);
    box.querySelector(".error").textContent = errors[id] ?? "";
    for (const input of box.querySelectorAll("input, select, textarea")) {
      if (errors[id]) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      if (errors[id]) first ??= input;
    }
  }
  // Within the dialog: what is behind it is not read out.
  $("modal-problem").textContent = first ? `Not saved: ${Object.values(errors).join(" ")}` : "";
  first?.focus();
}
