import { describe, expect, it } from "vitest";
import { hostOf, ownPicture, safeLink } from "./address.ts";

describe("safeLink", () => {
  it.each(["https://a.example/b?c#d", "http://a.example/", "mailto:ada@a.example", "tel:+441632960000"])(
    "lets %s through",
    (address) => {
      expect(safeLink(address)).toBe(address);
    },
  );

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "blob:https://a.example/1",
    "file:///etc/passwd",
    "/t/other",
    "//a.example",
    "?q=1",
    "#top",
    "",
  ])("drops %j", (address) => {
    expect(safeLink(address)).toBeUndefined();
  });
});

describe("ownPicture", () => {
  const origin = "https://parlance.example";
  it("shows what is here already or comes from our own origin", () => {
    expect(ownPicture("data:image/png;base64,iVBORw0KGgo=", origin)).toBe(
      "data:image/png;base64,iVBORw0KGgo=",
    );
    expect(ownPicture("/v1/files/1", origin)).toBe("https://parlance.example/v1/files/1");
    expect(ownPicture("blob:https://parlance.example/1", origin)).toBe("blob:https://parlance.example/1");
  });

  it.each([
    "https://other.example/a.png",
    "//other.example/a.png",
    "https://parlance.example.other.example/a.png",
    "https://parlance.example@other.example/a.png",
    "data:image/svg+xml;base64,PHN2Zy8+",
    "data:text/html;base64,AA==",
    "blob:https://other.example/1",
    "javascript:alert(1)",
    "http://parlance.example/a.png",
  ])("does not load %s by itself", (address) => {
    expect(ownPicture(address, origin)).toBeUndefined();
  });
});

it("names a place by its host", () => {
  expect(hostOf("https://www.a.example:8080/x")).toBe("a.example:8080");
  expect(hostOf("mailto:ada@a.example")).toBe("ada@a.example");
  expect(hostOf("nonsense")).toBe("nonsense");
});
