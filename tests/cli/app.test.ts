import { describe, expect } from "vitest";
import { runCommand, runCommandJson } from "../support/servers/cli.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { placeForTest } from "../support/test-scope.ts";
import { bearer, keyHeaders, visitor } from "../support/clients/visitor.ts";

describeServer("an app created at the command line", {}, (server) => {
  test("separates its users and threads from those of another, even if both use the same names", async () => {
    const { place, url } = server();
    const names = { userId: "user_ada", workspaceId: "org_engines" };
    const { id } = await runCommandJson<{ id: string }>(place, "app", "create", "shop");
    const { key } = await runCommandJson<{ key: string }>(place, "key", "create", "a", "--app", id);
    const there = visitor(url, "ada there", keyHeaders(key, names));
    const here = server().inWorkspace(names.workspaceId);
    const thread = { last_message_at: new Date().toISOString(), title: "Of the shop" };
    const { thread_id } = await there.call("threads.create", { body: thread });
    expect((await there.call("threads.get", { params: { thread_id } })).thread.project_id).toBe(id);

    await here.fails("thread-not-found", "threads.get", { params: { thread_id } });
    expect((await here.call("threads.list")).threads).toEqual([]);
    expect((await here.call("apps.threads")).threads.map((one) => one.id)).not.toContain(thread_id);
    expect((await there.call("apps.threads")).threads.map((one) => one.id)).toEqual([thread_id]);
    const { token } = await there.call("auth.mint");
    const browser = visitor(url, "ada's browser", bearer(token));
    expect((await browser.call("threads.list")).threads.map((one) => one.id)).toEqual([thread_id]);
  });

  test("erases no user of another", async ({ dan }) => {
    const { place, url, ownerLink, guest } = server();
    const { key } = await runCommandJson<{ key: string }>(
      place,
      "key",
      "create",
      "eraser",
      "--app",
      "Parlance",
    );
    const { id } = await runCommandJson<{ id: string }>(place, "app", "create", "elsewhere");
    const { key: strange } = await runCommandJson<{ key: string }>(place, "key", "create", "s", "--app", id);
    const eraseWith = async (bearerKey: string, user_id: string) =>
      await visitor(url, "backend", bearer(bearerKey)).ask("apps.eraseUser", { params: { user_id } });
    const { user_id } = await dan.call("auth.me");
    const thread = { last_message_at: new Date().toISOString(), title: "Of dan" };
    await dan.call("threads.create", { body: thread });

    const nobody = { status: 200, body: { threads: 0, runs: 0 } };
    expect(await eraseWith(strange, user_id)).toMatchObject(nobody);
    expect((await dan.call("threads.list")).threads).toHaveLength(1);
    // The owner of the first app is an unknown user there.
    const owner = await guest.call("auth.openSession", {
      body: { owner_secret: ownerLink.split("#")[1]! },
      headers: { "Parlance-Client": "web" },
    });
    expect(await eraseWith(strange, owner.user_id)).toMatchObject(nobody);
    expect(await eraseWith(key, user_id)).toMatchObject({ status: 200, body: { threads: 1 } });
    await dan.fails("invalid-token", "threads.list");
  });

  test("has a unique name", async () => {
    const { place } = server();
    await runCommandJson(place, "app", "create", "attic");
    expect(await runCommand(place, ["app", "create", "attic"])).toEqual({
      code: 1,
      out: "",
      err: `<name>: there already is an app "attic". Choose another name.\n`,
    });
    const atOnce = await Promise.all(
      Array.from({ length: 6 }, async () => await runCommand(place, ["app", "create", "cellar"])),
    );
    expect(atOnce.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 1, 1, 1, 1, 1]);
    const listed = await runCommandJson<{ name: string }[]>(place, "app", "list");
    expect(listed.filter(({ name }) => name === "cellar")).toHaveLength(1);
    expect(listed[0]?.name).toBe("Parlance");
  });
});

describe("the origins of an app at the command line", () => {
  test("are listed as browsers write them, and removed, with a note about the last one", async () => {
    const place = await placeForTest("sqlite");
    const allow = async (origin: string) => await runCommandJson(place, "origin", "add", origin);
    expect(await allow("https://App.example:443/")).toMatchObject({
      origin: "https://app.example",
      changed: true,
    });
    expect(await allow("https://app.example")).toMatchObject({ changed: false });
    await allow("http://localhost:5173");
    expect(await runCommandJson(place, "origin", "list")).toMatchObject([
      { app: "Parlance", origins: ["https://app.example", "http://localhost:5173"], every_origin: false },
    ]);
    const strange = await runCommand(place, ["origin", "remove", "https://other.example"]);
    expect(strange.code).toBe(1);
    expect(strange.err).toContain("It lists https://app.example, http://localhost:5173.");
    expect((await runCommand(place, ["origin", "remove", "https://app.example"])).err).toBe("");
    expect((await runCommand(place, ["origin", "remove", "http://localhost:5173"])).err).toContain(
      "Without a list, pages of this machine may call.",
    );
    expect((await runCommand(place, ["origin", "remove", "http://localhost:5173"])).code).toBe(1);
  });

  test.for([
    [{}, "pages of this machine", false],
    [{ HOST: "0.0.0.0" }, "pages of this machine and its network", false],
    [{ HOST: "0.0.0.0", PUBLIC_URL: "http://chat.lan" }, "pages of this machine and its network", false],
    [{ PUBLIC_URL: "https://chat.example" }, "pages of every origin", true],
  ] as const)("without a list and with %j are %s", async ([settings, unlisted, isEvery]) => {
    const place = await placeForTest("sqlite");
    expect((await runCommand(place, ["origin", "list"], settings)).out).toMatch(
      new RegExp(`Parlance +${unlisted} +no list`),
    );
    const { out } = await runCommand(place, ["origin", "list", "--json"], settings);
    expect(JSON.parse(out)).toMatchObject([{ origins: [], every_origin: isEvery }]);
  });

  test.for(["*", "app.example", "https://app.example/path", "null"])("are not %j", async (origin) => {
    const place = await placeForTest("sqlite");
    const ran = await runCommand(place, ["origin", "add", origin]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain("Write a scheme and a host");
  });
});
