import { expect, it, vi } from "vitest";
import { isShortcutsKey, shortcutOf } from "./shortcuts.ts";

const press = (keys: Partial<Parameters<typeof shortcutOf>[0]>) =>
  shortcutOf({ key: "", code: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...keys });

it("starts a new chat with Ctrl or ⌘, Shift and O in every alphabet", () => {
  expect(press({ ctrlKey: true, shiftKey: true, key: "O", code: "KeyO" })).toBe("new-chat");
  expect(press({ metaKey: true, shiftKey: true, key: "o", code: "KeyO" })).toBe("new-chat");
  expect(press({ ctrlKey: true, shiftKey: true, key: "Щ", code: "KeyO" })).toBe("new-chat");
});

it("toggles the sidebar with the period key, also where another alphabet has a letter there", () => {
  expect(press({ ctrlKey: true, key: ".", code: "Period" })).toBe("toggle-sidebar");
  expect(press({ ctrlKey: true, key: "ز", code: "Period" })).toBe("toggle-sidebar");
  expect(press({ ctrlKey: true, key: ".", code: "KeyE" })).toBe("toggle-sidebar");
  expect(press({ ctrlKey: true, shiftKey: true, key: "ز", code: "Period" })).toBeUndefined();
  expect(press({ key: "ز", code: "Period" })).toBeUndefined();
  // Dvorak: this is paste.
  expect(press({ ctrlKey: true, key: "v", code: "Period" })).toBeUndefined();
});

it("shows the shortcuts for Latin and Arabic question marks", () => {
  const isShortcuts = (keys: Partial<KeyboardEvent>) =>
    isShortcutsKey({ shiftKey: true, target: null, ...keys } as KeyboardEvent);
  vi.stubGlobal("HTMLElement", EventTarget);
  expect(isShortcuts({ key: "?", code: "Slash" })).toBe(true);
  expect(isShortcuts({ key: "؟", code: "Slash" })).toBe(true);
  expect(isShortcuts({ key: "/", code: "Slash" })).toBe(false);
  expect(isShortcuts({ key: "؟", code: "Slash", ctrlKey: true })).toBe(false);
  vi.unstubAllGlobals();
});

it("ignores all other key presses", () => {
  expect(press({ shiftKey: true, key: "O", code: "KeyO" })).toBeUndefined();
  expect(press({ ctrlKey: true, key: "o", code: "KeyO" })).toBeUndefined();
  expect(press({ ctrlKey: true, altKey: true, shiftKey: true, key: "O", code: "KeyO" })).toBeUndefined();
  expect(press({ key: "." })).toBeUndefined();
});
