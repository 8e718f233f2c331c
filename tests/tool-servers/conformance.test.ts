import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";
import { listenLocally, type LocalServer } from "#fixtures/local-server.ts";
import { createOwner, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { callTool } from "../support/clients/tool-calls.ts";
import { describeServer, test } from "../support/servers/server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const client = "tests/support/tool-servers/conformance-client.mjs";
/** No person is asked for what a server wants to know during a call. */
const failing = ["elicitation-sep1034-client-defaults"];
/**
 * It warns of any client metadata that is not at an address of its own, and of a client that connects again a moment too
 * late, as on a busy machine.
 */
const warning = ["auth/basic-cimd", "sse-retry"];
/** Sign-ins that a person would put up with. */
const signInsMax = 3;

type Scenario = {
  url: string;
  scenario: string;
  context: { client_id?: string; client_secret?: string };
};

// The address is https and public, so that sign-in servers may read the client's metadata there.
const settings = { PUBLIC_URL: "https://chat.example.com" };

describeServer("the protocol's conformance suite", { model: true, on: ["sqlite"], settings }, (server) => {
  let owner: Browser;
  let driver: LocalServer;
  beforeAll(async () => {
    owner = await openToEveryone(await createOwner(server()));
    const driving = createServer((request, response) => {
      void text(request)
        .then(async (body) => await drive(JSON.parse(body) as Scenario))
        .then(
          () => response.end(),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
    });
    driver = await listenLocally(driving);
  });
  afterAll(async () => await driver.close());

  /** What somebody does with the scenario's server: adds it, signs in, and calls every tool. */
  async function drive({ url, scenario, context: { client_id: id, client_secret: secret } }: Scenario) {
    const { server: added } = await owner.call("toolServers.create", {
      body: {
        name: scenario,
        url,
        ...(id === undefined ? {} : { client: { id, ...(secret === undefined ? {} : { secret }) } }),
      },
    });
    const params = { tool_server_id: added.id };
    try {
      for (let tries = 0; tries <= signInsMax; tries++) {
        const { problem, detail, tools } = await owner.call("toolServers.test", { params });
        if (problem === "tool-server-needs-sign-in") await signIn(params);
        else if (problem !== null) throw new Error(`${scenario}: ${problem} ${detail}`);
        else if (!(await callAll(tools))) await signIn(params);
        else return;
      }
    } finally {
      await owner.call("toolServers.remove", { params });
    }
  }

  /** Whether no call needed another sign-in. */
  async function callAll(tools: readonly { name: string }[]): Promise<boolean> {
    for (const { name } of tools) {
      const args = name.endsWith("add_numbers") ? { a: 5, b: 3 } : {};
      const { result, isError } = await callTool(owner, name, args);
      if (isError && JSON.stringify(result).includes("must sign in")) return false;
      if (isError) {
        const { servers } = await owner.call("toolServers.list");
        throw new Error(
          `${name}: ${JSON.stringify([result, servers.find((each) => name.startsWith(each.tool_prefix))])}`,
        );
      }
    }
    return true;
  }

  async function signIn(params: { tool_server_id: string }): Promise<void> {
    const { url, flow } = await owner.call("toolServers.startSignIn", { params });
    const back = await fetch(url, { redirect: "manual" });
    const { search } = new URL(back.headers.get("location")!);
    await owner.call("toolServers.finishSignIn", { body: { flow, response: search } });
  }

  test(
    "passes what it has for clients: connections, calls, and every way to sign in",
    { timeout: 120_000 },
    async () => {
      const output = await new Promise<string>((resolve) => {
        const command = `${process.execPath} ${client}`;
        const env = { ...process.env, CONFORMANCE_DRIVER: driver.url };
        const args = [suite, "client", "--command", command, "--suite", "core", "--timeout", "60000"];
        execFile(process.execPath, args, { cwd: root, env }, (_, stdout, stderr) => resolve(stdout + stderr));
      });
      const results = [
        ...output.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings)?$/gm),
      ];
      expect(results.length, output).toBe(18);
      const namesWith = (column: number) =>
        results.filter((result) => Number(result[column] ?? 0) > 0).map(([, , name]) => name!);
      expect(namesWith(4), output).toEqual(failing);
      expect(warning, output).toEqual(expect.arrayContaining(namesWith(5)));
      expect(output).toMatch(/^Total: 2\d\d passed, 6 failed/m);
    },
  );
});
