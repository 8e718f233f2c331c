import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { echo, repeat, startToolServer } from "#fixtures/tool-server.ts";
import { createOwner, join, newEmail, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { answerCall, readWholeLog, sendAndGetCall } from "../support/clients/conversation.ts";
import { callTool } from "../support/clients/tool-calls.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer, test } from "../support/servers/server.ts";

const target = await startToolServer();
afterAll(async () => await target.close());

describeServer("hostile tool servers", { model: true }, (server) => {
  let owner: Browser;
  let ben: Visitor;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    ben = await join(owner, { email: newEmail("ben") });
  });
  beforeEach(async () => {
    for (const added of (await owner.call("toolServers.list")).servers)
      await owner.call("toolServers.remove", paramsOf(added));
    target.tools = [echo("echo")];
    target.call = repeat;
  });

  const paramsOf = ({ id }: { id: string }) => ({ params: { tool_server_id: id } });

  /** A server whose tools are known. */
  async function create(body: Partial<BodyInputOf<"toolServers.create">> = {}) {
    const { server: added } = await owner.call("toolServers.create", {
      body: { name: "Garden", url: target.endpoint, is_shared: true, ...body },
    });
    expect(await owner.call("toolServers.test", paramsOf(added))).toMatchObject({ problem: null });
    return added;
  }

  test.for([
    ["a regular expression that never ends", { text: { type: "string", pattern: "^(a+)+$" } }],
    ["a reference to itself", { text: { $ref: "#/$defs/text" } }],
  ] as const)(
    "arguments that a person changed are sent although the schema has %s",
    async ([_, properties]) => {
      const $defs = { text: { allOf: [{ $ref: "#/$defs/text" }, { type: "string" }] } };
      target.tools = [echo("echo", { inputSchema: { type: "object", properties, $defs } as never })];
      await create();
      const { run_id } = await sendAndGetCall(ben, 'tool=garden__echo({"text":"x"}) tokens=2');
      const text = `${"a".repeat(50)}!`;
      await answerCall(ben, run_id, true, { args: { text } });
      expect((await readWholeLog(ben, run_id)).at(-1)).toMatchObject({ state: "completed" });
      expect(target.requests.at(-1)).toMatchObject({ params: { arguments: { text } } });
    },
  );

  test("of a list that is too large for models, the first tools are offered", async () => {
    const inputSchema = { type: "object", description: "x".repeat(30_000) };
    target.tools = Array.from({ length: 20 }, (_, n) => echo(`echo_${n}`, { inputSchema }));
    const added = await create();
    const tested = await owner.call("toolServers.test", paramsOf(added));
    expect([tested.tools.length, tested.left_out.length]).toEqual([8, 12]);
    expect(tested.left_out[0]).toEqual({ name: "echo_8", reason: "too-many" });
  });

  test.for(["off", "removed"])(
    "a server that is %s during an answer gets no further call of it",
    async (way) => {
      target.tools = [echo("echo", { annotations: { readOnlyHint: true, openWorldHint: false } })];
      const added = await create({ trusts_hints: true });
      let calls = 0;
      target.call = async (...call) => {
        calls++;
        if (way === "removed") await owner.call("toolServers.remove", paramsOf(added));
        else await owner.call("toolServers.change", { ...paramsOf(added), body: { is_on: false } });
        return await repeat(...call);
      };
      const { run_id } = await sendAndGetCall(ben, 'rounds=2 tool=garden__echo({"text":"x"}) tokens=2');
      await answerCall(ben, run_id, true, { remember: "chat" });
      expect((await readWholeLog(ben, run_id)).at(-1)).toMatchObject({ state: "completed" });
      expect(calls).toBe(1);
    },
  );

  test("an error page that repeats what it was sent shows no key to the model", async () => {
    await create({ headers: [{ name: "X-Key", value: "key-of-the-garden" }] });
    target.call = (_, _args, { headers, response }) => {
      response.writeHead(500).end(JSON.stringify(headers));
      return undefined;
    };
    const { result } = await callTool(ben, "garden__echo", { text: "x" });
    expect(JSON.stringify(result)).toContain("status 500");
    expect(JSON.stringify(result)).not.toContain("key-of-the-garden");
  });

  test("a link of megabytes does not end the answer", async () => {
    await create();
    const uri = `https://garden.example/${"x".repeat(5_000_000)}`;
    target.call = () => ({ content: [{ type: "resource_link", uri, name: "Tulips" }] });
    expect(await callTool(ben, "garden__echo", { text: "x" })).toMatchObject({ isError: false });
  });

  test("a server on the internet, also one of the owner, leads nowhere into the server’s own network", async () => {
    const { server: added } = await owner.call("toolServers.create", {
      body: { name: "Far", url: "https://1.1.1.1/mcp", is_shared: true, is_on: false },
    });
    await owner.call("toolServers.change", { ...paramsOf(added), body: { name: "Far away" } });
    // Nobody can move it here without this. Its sign-in servers are reached in the same way.
    await rawSql(server().place, async (run) =>
      run(`update tool_servers set url = '${target.endpoint}', is_on = 1`),
    );
    target.requests.length = 0;
    expect(await owner.call("toolServers.test", paramsOf(added))).toMatchObject({
      problem: "tool-server-unreachable",
    });
    await owner.fails("tool-server-unreachable", "toolServers.startSignIn", paramsOf(added));
    expect(target.requests).toEqual([]);
  });
});
