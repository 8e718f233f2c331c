import { expect, it } from "vitest";
import { shortcutOf } from "./shortcuts.ts";

const press = (keys: Partial<Parameters<typeof shortcutOf>[0]>) =>
  shortcutOf({ key: "", code: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...keys });

it("knows a new chat by Ctrl or Command with Shift and O, on every keyboard", () => {
  expect(press({ ctrlKey: true, shiftKey: true, key: "O", code: "KeyO" })).toBe("new-chat");
  expect(press({ metaKey: true, shiftKey: true, key: "o", code: "KeyO" })).toBe("new-chat");
  expect(press({ ctrlKey: true, shiftKey: true, key: "Щ", code: "KeyO" })).toBe("new-chat");
});

it("leaves every other press alone", () => {
  expect(press({ shiftKey: true, key: "O", code: "KeyO" })).toBeUndefined();
  expect(press({ ctrlKey: true, key: "o", code: "KeyO" })).toBeUndefined();
  expect(press({ ctrlKey: true, altKey: true, shiftKey: true, key: "O", code: "KeyO" })).toBeUndefined();
  expect(press({ key: "." })).toBeUndefined();
});
