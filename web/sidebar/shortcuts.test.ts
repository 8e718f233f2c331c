import { expect, it, vi } from "vitest";
import { asksForShortcuts, shortcutOf } from "./shortcuts.ts";

const press = (keys: Partial<Parameters<typeof shortcutOf>[0]>) =>
  shortcutOf({ key: "", code: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...keys });

it("knows a new chat by Ctrl or Command with Shift and O, on every keyboard", () => {
  expect(press({ ctrlKey: true, shiftKey: true, key: "O", code: "KeyO" })).toBe("new-chat");
  expect(press({ metaKey: true, shiftKey: true, key: "o", code: "KeyO" })).toBe("new-chat");
  expect(press({ ctrlKey: true, shiftKey: true, key: "Щ", code: "KeyO" })).toBe("new-chat");
});

it("knows the sidebar's key by its place too, where an alphabet has another letter there", () => {
  expect(press({ ctrlKey: true, key: ".", code: "Period" })).toBe("toggle-sidebar");
  expect(press({ ctrlKey: true, key: "ز", code: "Period" })).toBe("toggle-sidebar");
  expect(press({ ctrlKey: true, key: ".", code: "KeyE" })).toBe("toggle-sidebar");
  expect(press({ ctrlKey: true, shiftKey: true, key: "ز", code: "Period" })).toBeUndefined();
  expect(press({ key: "ز", code: "Period" })).toBeUndefined();
  // Dvorak: that pastes.
  expect(press({ ctrlKey: true, key: "v", code: "Period" })).toBeUndefined();
});

it("lists the shortcuts for the question mark of every alphabet", () => {
  const asks = (keys: Partial<KeyboardEvent>) =>
    asksForShortcuts({ shiftKey: true, target: null, ...keys } as KeyboardEvent);
  vi.stubGlobal("HTMLElement", EventTarget);
  expect(asks({ key: "?", code: "Slash" })).toBe(true);
  expect(asks({ key: "؟", code: "Slash" })).toBe(true);
  expect(asks({ key: "/", code: "Slash" })).toBe(false);
  expect(asks({ key: "؟", code: "Slash", ctrlKey: true })).toBe(false);
  vi.unstubAllGlobals();
});

it("leaves every other press alone", () => {
  expect(press({ shiftKey: true, key: "O", code: "KeyO" })).toBeUndefined();
  expect(press({ ctrlKey: true, key: "o", code: "KeyO" })).toBeUndefined();
  expect(press({ ctrlKey: true, altKey: true, shiftKey: true, key: "O", code: "KeyO" })).toBeUndefined();
  expect(press({ key: "." })).toBeUndefined();
});
