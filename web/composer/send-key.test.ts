import { expect, it } from "vitest";
import { isSendKey } from "./send-key.ts";

const enter = {
  key: "Enter",
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 13,
};

it("sends with Enter, not with Shift+Enter", () => {
  expect(isSendKey(enter, "enter", false)).toBe(true);
  expect(isSendKey({ ...enter, shiftKey: true }, "enter", false)).toBe(false);
  expect(isSendKey({ ...enter, key: "a" }, "enter", false)).toBe(false);
});

it("does not send during a composition, or with the Enter that ends it", () => {
  expect(isSendKey({ ...enter, isComposing: true }, "enter", false)).toBe(false);
  expect(isSendKey({ ...enter, keyCode: 229 }, "enter", false)).toBe(false);
});

it("requires Ctrl or Command if that is the setting, and on touch screens", () => {
  expect(isSendKey(enter, "ctrlEnter", false)).toBe(false);
  expect(isSendKey({ ...enter, ctrlKey: true }, "ctrlEnter", false)).toBe(true);
  expect(isSendKey({ ...enter, metaKey: true }, "ctrlEnter", false)).toBe(true);
  expect(isSendKey(enter, "enter", true)).toBe(false);
});
