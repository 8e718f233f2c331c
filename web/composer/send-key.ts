type Press = Pick<
  KeyboardEvent,
  "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "isComposing" | "keyCode"
>;

/**
 * Whether a key press sends the message. Not during a composition, or with the Enter that ends it: Safari closes the
 * composition first, and that Enter has the key code 229.
 */
export function isSendKey(press: Press, sendKey: "enter" | "ctrlEnter", isTouch: boolean): boolean {
  if (press.key !== "Enter" || press.isComposing || press.keyCode === 229 || press.shiftKey || press.altKey)
    return false;
  const hasCommand = press.ctrlKey || press.metaKey;
  return sendKey === "ctrlEnter" || isTouch ? hasCommand : true;
}
