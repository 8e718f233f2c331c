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

it("sends with Enter, and makes a new line with Shift and Enter", () => {
  expect(isSendKey(enter, "enter", false)).toBe(true);
  expect(isSendKey({ ...enter, shiftKey: true }, "enter", false)).toBe(false);
  expect(isSendKey({ ...enter, key: "a" }, "enter", false)).toBe(false);
});

it("never sends while a composition is open, nor on the Enter that ends one", () => {
  expect(isSendKey({ ...enter, isComposing: true }, "enter", false)).toBe(false);
  expect(isSendKey({ ...enter, keyCode: 229 }, "enter", false)).toBe(false);
});

it("waits for Ctrl or Command where a person chose so, and on keyboards of glass", () => {
  expect(isSendKey(enter, "ctrlEnter", false)).toBe(false);
  expect(isSendKey({ ...enter, ctrlKey: true }, "ctrlEnter", false)).toBe(true);
  expect(isSendKey({ ...enter, metaKey: true }, "ctrlEnter", false)).toBe(true);
  expect(isSendKey(enter, "enter", true)).toBe(false);
});
