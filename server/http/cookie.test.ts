import { describe, expect, test } from "vitest";
import { createCookieJar, isOwnPage, isOwnRead } from "./cookie.ts";

const jar = createCookieJar({ port: () => 3000, secure: false, basePath: "" });

describe("the cookie jar", () => {
  test("finds the cookie with exactly its name among others", () => {
    expect(jar.read("a=b; parlance_3000=token; c=d")).toBe("token");
    expect(jar.read("parlance_3000=a=b")).toBe("a=b");
    expect(jar.read("parlance_3000=")).toBe("");
    for (const header of [
      undefined,
      "",
      "parlance_3000",
      "parlance_300=token",
      "xparlance_3000=token",
      "PARLANCE_3000=token",
      ";;;",
      "=token",
    ]) {
      expect(jar.read(header), header).toBeUndefined();
    }
  });

  test("uses the first of two, because browsers send the one with the longer path first", () => {
    expect(jar.read("parlance_3000=first; parlance_3000=second")).toBe("first");
  });

  test("below a path, keeps the cookies of other servers of the host apart", () => {
    const at = (basePath: string) => createCookieJar({ port: () => 443, secure: true, basePath });
    expect(at("/apps/chat").write("token", 1_000, 0)).toBe(
      "__Secure-parlance_443+apps+chat=token; Max-Age=1; Path=/apps/chat; HttpOnly; Secure; SameSite=Strict",
    );
    // As the browser sends those of the root and of the path above too.
    const sent =
      "__Host-parlance_443=root; __Secure-parlance_443+apps=above; __Secure-parlance_443+apps+chat=own";
    expect(["/apps/chat", "/apps", "", "/other"].map((path) => at(path).read(sent))).toEqual([
      "own",
      "above",
      "root",
      undefined,
    ]);
  });

  test("writes and clears the same cookie", () => {
    expect(jar.write("token", 61_500, 1_000)).toBe(
      "parlance_3000=token; Max-Age=60; Path=/; HttpOnly; SameSite=Strict",
    );
    expect(jar.write("token", 0, 1_000)).toContain("Max-Age=0");
    expect(jar.clear()).toBe("parlance_3000=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict");
    const secure = createCookieJar({ port: () => 443, secure: true, basePath: "" });
    expect(secure.write("token", 1_000, 0)).toBe(
      "__Host-parlance_443=token; Max-Age=1; Path=/; HttpOnly; Secure; SameSite=Strict",
    );
    expect(secure.read("parlance_443=planted; __Host-parlance_443=token")).toBe("token");
  });
});

describe("our own page", () => {
  const own = { "parlance-client": "web", host: "chat.example:3000" };
  const is = (headers: Record<string, string | undefined>, publicOrigin?: string) =>
    isOwnPage((name) => ({ ...own, ...headers })[name], publicOrigin);

  test("is recognized by its header, unless the browser's headers contradict it", () => {
    expect(is({})).toBe(true);
    expect(is({ "sec-fetch-site": "same-origin" })).toBe(true);
    expect(is({ origin: "http://chat.example:3000", "sec-fetch-site": "same-origin" })).toBe(true);
    expect(is({ origin: "https://chat.example:3000" })).toBe(true);
  });

  test.for([
    { "parlance-client": undefined },
    { "parlance-client": "Web" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "" },
    { origin: "http://chat.example" },
    { origin: "http://chat.example:3001" },
    { origin: "http://chat.example:3000.evil.example" },
    { origin: "null" },
    { origin: "" },
    { origin: "nonsense" },
    { origin: "http://other.example:3000", host: undefined },
  ])("is not recognized with %j", (headers) => {
    expect(is(headers)).toBe(false);
  });

  test("behind a proxy has the public origin, and not a similar one", () => {
    expect(is({ origin: "https://public.example", host: "10.0.0.1:3000" }, "https://public.example")).toBe(
      true,
    );
    expect(
      is({ origin: "https://public.example.evil.example", host: "10.0.0.1:3000" }, "https://public.example"),
    ).toBe(false);
    expect(is({ origin: "http://public.example", host: "10.0.0.1:3000" }, "https://public.example")).toBe(
      false,
    );
  });
});

test("the cookie is enough to read a file for our page or the person, but not for another page", () => {
  const reads = (site?: string) => isOwnRead((name) => (name === "sec-fetch-site" ? site : undefined));
  for (const site of [undefined, "same-origin", "none"]) expect(reads(site), site).toBe(true);
  for (const site of ["same-site", "cross-site", ""]) expect(reads(site), site).toBe(false);
});
