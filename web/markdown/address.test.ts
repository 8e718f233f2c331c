import { describe, expect, it } from "vitest";
import { hostOf, allowedPicture, safeLink } from "./address.ts";

describe("safeLink", () => {
  it.each(["https://a.example/b?c#d", "http://a.example/", "mailto:ada@a.example", "tel:+441632960000"])(
    "allows %s",
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

describe("allowedPicture", () => {
  const origin = "https://parlance.example";
  it("allows data URLs, blobs and the app's own origin", () => {
    expect(allowedPicture("data:image/png;base64,iVBORw0KGgo=", origin)).toBe(
      "data:image/png;base64,iVBORw0KGgo=",
    );
    expect(allowedPicture("/v1/files/1", origin)).toBe("https://parlance.example/v1/files/1");
    expect(allowedPicture("blob:https://parlance.example/1", origin)).toBe("blob:https://parlance.example/1");
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
  ])("does not allow %s", (address) => {
    expect(allowedPicture(address, origin)).toBeUndefined();
  });
});

it("shortens an address to its host", () => {
  expect(hostOf("https://www.a.example:8080/x")).toBe("a.example:8080");
  expect(hostOf("mailto:ada@a.example")).toBe("ada@a.example");
  expect(hostOf("nonsense")).toBe("nonsense");
});
