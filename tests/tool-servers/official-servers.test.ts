import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { readConfiguredServers } from "#server/tool-servers/configured-servers.ts";
import {
  createOwner,
  join as joinServer,
  newEmail,
  openToEveryone,
  type Browser,
} from "../support/clients/browser.ts";
import { callTool } from "../support/clients/tool-calls.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { describeServer, test } from "../support/servers/server.ts";

const packageFile = (name: string) =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));

const folder = await realpath(await mkdtemp(join(tmpdir(), "parlance-tools-")));
const configuration = join(folder, "tool-servers.json");
await writeFile(join(folder, "garden.txt"), "Tulips in May.");
await writeFile(
  configuration,
  JSON.stringify({
    mcpServers: {
      Everything: { command: process.execPath, args: [packageFile("server-everything"), "stdio"] },
      Files: {
        command: process.execPath,
        args: [packageFile("server-filesystem"), folder],
        trustsHints: true,
      },
      Memory: {
        command: process.execPath,
        args: [packageFile("server-memory")],
        env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
      },
      Dying: { command: process.execPath, args: ["-e", "process.exit(3)"] },
      Missing: { command: "no-such-program-anywhere" },
    },
  }),
);
process.env.ONLY_FOR_THIS_PROCESS = "a secret of the server";
afterAll(async () => {
  delete process.env.ONLY_FOR_THIS_PROCESS;
  await rm(folder, { recursive: true, force: true });
});

describeServer(
  "the protocol's own servers",
  { model: true, on: ["sqlite"], settings: { TOOL_SERVERS_FILE: configuration } },
  (server) => {
    let owner: Browser;
    let ben: Visitor;
    beforeAll(async () => {
      owner = await openToEveryone(await createOwner(server()));
      ben = await joinServer(owner, { email: newEmail("ben") });
    });
    async function testOf(name: string) {
      const { servers } = await ben.call("toolServers.list");
      const { id } = servers.find((each) => each.name === name)!;
      return await ben.call("toolServers.test", { params: { tool_server_id: id } });
    }

    test("work as processes of this machine, which the operator's configuration names", async () => {
      expect((await testOf("Everything")).tools.length).toBeGreaterThan(10);
      expect(await callTool(ben, "everything__echo", { message: "tulips" })).toMatchObject({
        result: "Echo: tulips",
      });
      expect(
        await callTool(ben, "everything__get-structured-content", { location: "New York" }),
      ).toMatchObject({ result: { conditions: "Cloudy" } });
      expect(
        (await callTool(ben, "everything__trigger-long-running-operation", { duration: 1, steps: 4 })).result,
      ).toMatch(/completed/);
      // The process has none of what this one has in its environment.
      expect(JSON.stringify((await callTool(ben, "everything__get-env", {})).result)).not.toContain(
        "a secret of",
      );
      expect(await testOf("Files")).toMatchObject({ problem: null });
      const path = join(folder, "garden.txt");
      const { result } = await callTool(ben, "files__write_file", { path: `${path}.new`, content: "x" });
      expect(JSON.stringify(result)).toContain("garden.txt.new");
      expect(await callTool(ben, "files__write_file", { path: "/etc/passwd", content: "x" })).toMatchObject({
        isError: true,
      });
      await testOf("Memory");
      const entities = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];
      await callTool(ben, "memory__create_entities", { entities });
      expect(
        JSON.stringify((await callTool(ben, "memory__search_nodes", { query: "tea" })).result),
      ).toContain("Ada");
    });

    test("a process that ends or does not exist is a problem of its own", async () => {
      expect(await testOf("Dying")).toMatchObject({ problem: "tool-server-unreachable" });
      expect(await testOf("Missing")).toMatchObject({ problem: "tool-server-unreachable" });
      expect(await callTool(ben, "everything__echo", { message: "still here" })).toMatchObject({
        isError: false,
      });
    });

    test.for(["http", "sse"] as const)("work over %s", async (transport) => {
      const { port, close } = await listenLocally(createServer());
      await close();
      const started: ChildProcess = spawn(
        process.execPath,
        [packageFile("server-everything"), transport === "sse" ? "sse" : "streamableHttp"],
        { env: { PATH: process.env.PATH, PORT: String(port) }, stdio: ["ignore", "pipe", "pipe"] },
      );
      onTestFinished(async () => {
        started.kill();
        await once(started, "exit");
      });
      await new Promise<void>((resolve) => {
        for (const stream of [started.stdout!, started.stderr!])
          stream.on("data", (chunk: Buffer) => {
            if (/listening|running on port/i.test(chunk.toString())) resolve();
          });
      });
      const url = `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`;
      const { server: added } = await owner.call("toolServers.create", {
        body: { name: `Over ${transport}`, url, transport },
      });
      const params = { tool_server_id: added.id };
      expect((await owner.call("toolServers.test", { params })).tools.length).toBeGreaterThan(10);
      const prefix = added.tool_prefix;
      expect(await callTool(owner, `${prefix}__echo`, { message: "x" })).toMatchObject({ result: "Echo: x" });
      const { result } = await callTool(owner, `${prefix}__get-resource-links`, { count: 2 });
      expect(String(result)).toContain("](");
      await owner.call("toolServers.remove", { params });
    });
  },
);

test("a configuration that is wrong says where", async () => {
  const path = join(folder, "wrong.json");
  const errorOf = async (content: unknown) => {
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    try {
      readConfiguredServers(path);
      return "none";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(await errorOf("{")).toMatch(/TOOL_SERVERS_FILE: .*wrong\.json cannot be read/);
  expect(await errorOf({ mcpServers: { a: { args: [] } } })).toMatch(/wrong at mcpServers\.a\.command/);
  expect(await errorOf({ mcpServers: { "A b": { command: "x" }, "a-b": { command: "y" } } })).toMatch(/a-b/);
  expect(() => readConfiguredServers(join(folder, "nowhere.json"))).toThrow(/nowhere\.json cannot be read/);
});
