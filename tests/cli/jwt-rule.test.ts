import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startIssuer, type Issuer } from "#fixtures/issuer/issuer.ts";
import { runCommand, runCommandJson } from "../support/servers/cli.ts";
import { newPlace } from "../support/servers/server.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

async function place() {
  const made = await newPlace("sqlite");
  undo.push(made.remove);
  return made;
}

const issuer = "https://login.example.com/";
/** For tests that fail before keys are fetched. */
const unasked = ["--jwks", "https://login.example.com/.well-known/jwks.json"];
let provider: Issuer;
let jwks: string[] = [];
beforeAll(async () => {
  provider = await startIssuer();
  jwks = ["--jwks", provider.jwksUrl];
});
afterAll(async () => await provider.close());

describe("rules for a provider's tokens at the command line", () => {
  test("are added, listed and removed", async () => {
    const where = await place();
    const added = await runCommandJson<{ id: string }>(where, "jwt-rule", "add", issuer, ...jwks);
    expect(added).toMatchObject({ issuer, audience: null, workspace_claim: null, algorithms: ["RS256"] });
    const more = ["--audience", "app", "--workspace-claim", "org_id", "--algorithms", "ES256, RS256"];
    const second = await runCommand(where, ["jwt-rule", "add", issuer, ...jwks, ...more]);
    expect(second).toMatchObject({ code: 0, err: "" });
    const { out } = await runCommand(where, ["jwt-rule", "list"]);
    expect(out.split("\n")).toHaveLength(4);
    expect(out).toMatch(/app +org_id +ES256,RS256/);
    await runCommandJson(where, "jwt-rule", "remove", added.id);
    expect(await runCommandJson<object[]>(where, "jwt-rule", "list")).toMatchObject([{ audience: "app" }]);
    const again = await runCommand(where, ["jwt-rule", "remove", added.id]);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain(`<rule>: there is no rule "${added.id}"`);
  });

  test("warn if there is no audience", async () => {
    const ran = await runCommand(await place(), ["jwt-rule", "add", issuer, ...jwks]);
    expect(ran.err).toContain(
      "Without --audience, a token that this issuer created for any other app is accepted too",
    );
  });

  test("are unique per issuer and audience", async () => {
    const where = await place();
    for (const audience of [[], ["--audience", "app"]]) {
      await runCommandJson(where, "jwt-rule", "add", issuer, ...jwks, ...audience);
      const twice = await runCommand(where, ["jwt-rule", "add", issuer, ...jwks, ...audience]);
      expect(twice).toMatchObject({ code: 1, out: "" });
      expect(twice.err).toContain("audience: this issuer and audience already have a rule");
    }
  });

  test.for([
    ["http://login.example.com/jwks.json", "jwks: must begin with https://"],
    ["http://localhost.example.com/jwks.json", "jwks: must begin with https://"],
    ["http://127.0.0.1.example.com/jwks.json", "jwks: must begin with https://"],
    ["http://10.0.0.1/jwks.json", "jwks: must begin with https://"],
    ["file:///etc/passwd", "jwks: must begin with https://"],
    ["data:application/json,{}", "jwks: must begin with https://"],
    [
      "https://ada:secret@login.example.com/jwks.json",
      "jwks: must not contain a user name, a password or a #",
    ],
    ["https://login.example.com/jwks.json#x", "jwks: must not contain"],
    ["login.example.com/jwks.json", "jwks: must be a URL"],
  ] as const)("do not take keys from %s", async ([url, words]) => {
    const ran = await runCommand(await place(), ["jwt-rule", "add", issuer, "--jwks", url]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.err).toContain(words);
  });

  test.for(["localhost", "127.0.0.1", "[::1]"])(
    "take keys from this machine without TLS: %s",
    async (host) => {
      const url = `http://${host}:${new URL(provider.jwksUrl).port}/jwks.json`;
      expect((await runCommand(await place(), ["jwt-rule", "add", issuer, "--jwks", url])).code).toBe(0);
    },
  );

  test.for([
    ["html", "as JSON"],
    ["error", "The response has status 500 instead of 200"],
    ["redirect", "The response has status 302 instead of 200. Redirects are not followed."],
    ["huge", "The response has more than 524288 bytes."],
    ["away", "fetch failed"],
  ] as const)(
    "are added where its keys cannot be fetched, and that is said: %s",
    async ([behaviour, words]) => {
      const where = await place();
      provider.behave(behaviour);
      const ran = await runCommand(where, ["jwt-rule", "add", issuer, ...jwks, "--audience", "app"]);
      provider.behave("well");
      expect(ran.code).toBe(0);
      expect(ran.err).toContain(`The rule is added, but its keys cannot be fetched from ${provider.jwksUrl}`);
      expect(ran.err).toContain(words);
      expect(await runCommandJson<object[]>(where, "jwt-rule", "list")).toHaveLength(1);
    },
  );

  test.for([
    [["jwt-rule", "add", issuer], 2, "Required option '--jwks <url>' not specified"],
    [
      ["jwt-rule", "add", issuer, ...unasked, "--algorithms", "HS256"],
      2,
      "Shared secrets are not supported.",
    ],
    [
      ["jwt-rule", "add", issuer, ...unasked, "--algorithms", "RS256,none"],
      2,
      "Shared secrets are not supported.",
    ],
    [["jwt-rule", "add", "two words", ...unasked], 1, "issuer: must have 1 to 255 characters"],
    [["jwt-rule", "add", "", ...unasked], 1, "issuer: must have 1 to 255 characters"],
    [
      ["jwt-rule", "add", "parlance", ...unasked],
      1,
      "issuer: must not be the issuer of this service's own tokens",
    ],
    [["jwt-rule", "add", issuer, ...unasked, "--audience", "a b"], 1, "audience: must have 1 to 255"],
    [
      ["jwt-rule", "add", issuer, ...unasked, "--workspace-claim", ""],
      1,
      "workspace-claim: must have 1 to 255",
    ],
    [["jwt-rule", "add", issuer, ...unasked, "--app", "attic"], 1, `there is no app "attic"`],
  ] as const)("called as %j are not added", async ([args, code, words]) => {
    const where = await place();
    const ran = await runCommand(where, [...args]);
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.err).toContain(words);
    expect(await runCommandJson(where, "jwt-rule", "list")).toEqual([]);
  });
});
