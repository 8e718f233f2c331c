import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installClient } from "#tests/support/clients/install-client.ts";
import { rawSql } from "#tests/support/postgres/raw-sql.ts";
import { eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit, type Visit } from "../support/visit.ts";
import { startClientApp, type ClientApp } from "./app-server.ts";
import { clientPage, storedIn, versionIn } from "./page.ts";

/** Follows docs/assistant-ui.md: builds its code blocks and runs an app for each setup that it shows. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/assistant-ui.md"), "utf8");
const blocks = new Map(
  [...page.matchAll(/^```(\w+) ?(\S*)\n([^]*?)^```$/gm)].map(([, language, file, code]) => [
    file === "" ? (language ?? "") : (file ?? ""),
    code ?? "",
  ]),
);
const components = [...blocks.keys()].filter((file) => file.endsWith(".tsx"));

const picture = readFileSync("fixtures/files/garden.png");

const environment = startEnvironment({ ownServer: true });
let app: ClientApp;
let installed: Awaited<ReturnType<typeof installClient>>;

beforeAll(async () => {
  const here = (code: string) => code.replaceAll("http://127.0.0.1:3000", environment.server.url);
  const key = makeKey();
  installed = await installClient();
  write("your-sign-in.ts", 'export const signedInUser = async (_: Request) => ({ id: "user_of_the_docs" });');
  write(
    "your-model.ts",
    `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
export const model = createOpenAICompatible({ name: "fixture", baseURL: "${environment.model.url}" })("fixture-1");`,
  );
  const routeOf = async (file: string) => {
    const code = here(blocks.get(file) ?? "").replace("process.env.PARLANCE_API_KEY", JSON.stringify(key));
    const { POST } = (await import(pathToFileURL(write(file, code)).href)) as {
      POST: (request: Request) => Promise<Response>;
    };
    return POST;
  };
  app = await startClientApp({
    modelUrl: environment.model.url,
    service: { url: environment.server.url, apiKey: key, workspaceOf: (user) => user },
    pages: { folder: "docs-app", plugins: [blocksPlugin(here)] },
    routes: {
      "/api/chat-token": await routeOf("token-route.ts"),
      "/api/chat": await routeOf("chat-route.ts"),
    },
  });
});
afterAll(async () => {
  await app?.close();
  installed?.remove();
});

/** Writes a file of the app. */
function write(file: string, code: string): string {
  const path = join(installed.folder, file);
  writeFileSync(path, code);
  return path;
}

/** Runs the commands of the page beside the running server. */
function makeKey(): string {
  const [, words] = /^npm run cli -- (.*)$/m.exec(blocks.get("sh") ?? "") ?? [];
  const args = [...(words ?? "").matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
  const { stdout, stderr } = spawnSync(process.execPath, ["cli/main.ts", ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: environment.server.folder },
    encoding: "utf8",
  });
  const key = /^sk_aui_proj_\S+$/m.exec(stdout)?.[0];
  if (key === undefined) throw new Error(`No key was made: ${stdout}${stderr}`);
  return key;
}

/** Resolves the page's code blocks as files of the app. */
function blocksPlugin(here: (code: string) => string): Plugin {
  const pathOf = (file: string) => join(installed.folder, file);
  const files = new Map(components.map((file) => [pathOf(file), here(blocks.get(file) ?? "")]));
  return {
    name: "blocks of the page",
    enforce: "pre",
    resolveId: (id) => (id === "virtual:blocks" ? "\0blocks" : files.has(id) ? id : null),
    load(id) {
      if (id !== "\0blocks") return files.get(id);
      const imports = components.map(
        (file, index) => `import * as b${index} from ${JSON.stringify(pathOf(file))};`,
      );
      const entries = components.map((file, index) => `${JSON.stringify(file)}: b${index}`);
      return `${imports.join("\n")}\nexport default { ${entries.join(", ")} };`;
    },
  };
}

/** The server completes an answer half a minute after its page was last heard of, if another page does not. */
const completedMs = 60_000;

/** The texts of all messages that the server has. */
async function storedTexts(): Promise<unknown[]> {
  return await rawSql({ dataDir: environment.server.folder }, async (run) =>
    (await run("select plain_text from messages")).map((row) => row.plain_text),
  );
}

/** Counts the messages that a visit stores. */
function countStored({ context }: Visit): () => Promise<number> {
  let messages = 0;
  context.on("response", (response) => {
    if (response.status() === 201 && response.url().endsWith("/messages")) messages++;
  });
  return async () => messages;
}

async function chatsAndRemembers(block: string): Promise<string[]> {
  const visitor = await visit(environment.browser, app.url, {
    path: `/?block=${block}`,
    service: environment.server.url,
  });
  const at = clientPage(visitor.page);
  const active = visitor.page.getByRole("list", { name: "Active" });
  await at.ask("Written as the page says tokens=4");
  await at.shows({ question: "Written as the page says" });
  await active.getByRole("button").first().waitFor();
  const words = async () => (await at.answers.first().innerText()).trim();
  await expect.poll(words, { timeout: 15_000 }).toMatch(/\w+ \w+ \w+ \w+/);
  const said = (await words()).split("\n")[0] ?? "";
  // The clients store an answer when it is complete, and then report it.
  await expect
    .poll(() => visitor.requests.filter((request) => request.endsWith("/v1/runs")).length, {
      timeout: 15_000,
    })
    .toBeGreaterThan(0);
  await visitor.page.reload();
  await active.getByRole("button").first().click();
  await at.shows({ answer: said });
  const { requests } = visitor;
  await visitor.end();
  return requests;
}

test("has the expected code blocks", () => {
  expect([...blocks.keys()].toSorted()).toEqual(
    [
      "anonymous.tsx",
      "answers.tsx",
      "chat-route.ts",
      "cloud-chat.tsx",
      "install",
      "live-threads.tsx",
      "local-answers.tsx",
      "sh",
      "signed-in.tsx",
      "token-route.ts",
    ].toSorted(),
  );
});

test.for(["anonymous.tsx", "cloud-chat.tsx", "live-threads.tsx"])(
  "the app in %s keeps its threads over a reload",
  async (block) => {
    const requests = await chatsAndRemembers(block);
    expect(requests.filter((request) => request.endsWith("/v1/auth/tokens/anonymous"))).toHaveLength(1);
  },
);

test.for(["answers.tsx", "local-answers.tsx"])(
  "%s continues an answer after a reload, and stores it",
  async (block) => {
    const visitor = await visit(environment.browser, app.url, {
      path: `/?block=${block}`,
      service: environment.server.url,
    });
    const at = clientPage(visitor.page);
    const stored = countStored(visitor);
    const shown = async () => (await at.answers.first().innerText()).trim().split("\n")[0]?.trim() ?? "";
    const shows = async (count: number) =>
      await expect
        .poll(async () => (await shown()).split(" ").length, { timeout: completedMs })
        .toBeGreaterThanOrEqual(count);
    const question = `Count with ${block} tokens=60 gap=60`;
    await at.ask(question);
    await shows(5);
    await eventually(stored, (count) => expect(count).toBeGreaterThan(0));
    for (let reloads = 0; reloads < 2; reloads++) {
      await visitor.page.reload();
      await at.active.getByRole("button").first().click();
      await at.shows({ question: "Count with" });
      await shows(60);
      const said = await shown();
      await eventually(storedTexts, (texts) => expect(texts).toContain(said));
      await eventually(stored, (count) => expect(count).toBe(2));
      expect(await at.answers.count()).toBe(1);
    }
    const asked = environment.model.requests.filter(({ body }) =>
      JSON.stringify(body ?? "").includes(question),
    );
    expect(asked.filter(({ body }) => JSON.stringify(body).includes('"tools"'))).toHaveLength(1);
    await visitor.end();
  },
);

test.for(["answers.tsx", "local-answers.tsx"])("%s keeps an answer stopped after a reload", async (block) => {
  const visitor = await visit(environment.browser, app.url, {
    path: `/?block=${block}`,
    service: environment.server.url,
  });
  const at = clientPage(visitor.page);
  const stored = storedIn(visitor);
  const said = async () => (await at.answers.allInnerTexts()).join("").replaceAll("Again", " ").trim();
  const question = `Stop with ${block} tokens=400 gap=30`;
  await at.ask(question);
  await eventually(
    async () => (await said()).split(/\s+/).length,
    (words) => expect(words).toBeGreaterThan(5),
  );
  await visitor.page.getByRole("button", { name: "Stop", exact: true }).click();
  await stored(2);
  const stopped = await said();
  const [asked] = environment.model.requests.filter(({ body }) =>
    JSON.stringify(body ?? "").includes(question),
  );
  await asked?.end;
  expect(asked?.ended).toBe("gone");

  await visitor.page.reload();
  await at.active.getByRole("button").first().click();
  await at.shows({ question: "Stop with" });
  await eventually(said, (words) => expect(words).toBe(stopped));
  // A run that is resumed would be read from its beginning at once.
  expect(visitor.requests.filter((request) => /\/v1\/runs\/\w+\/stream$/.test(request))).toEqual([]);
  await at.ask("And after that tokens=3");
  await stored(4);
  expect(await at.answers.count()).toBe(2);
  await visitor.end();
});

test("signed-in.tsx and token-route.ts form an app with history for signed-in people", async () => {
  const requests = await chatsAndRemembers("signed-in.tsx");
  expect(requests.filter((request) => request.endsWith("/anonymous"))).toEqual([]);
  expect(requests).toContain("POST /api/chat-token");
});

test("anonymous.tsx and chat-route.ts send attachments to the model, in every turn", async () => {
  const visitor = await visit(environment.browser, app.url, {
    path: "/?block=anonymous.tsx",
    service: environment.server.url,
  });
  const at = clientPage(visitor.page);
  await at.attach("garden.png", "image/png", picture);
  await eventually(
    async () => await at.attached.getAttribute("data-status"),
    (status) => expect(status).toBe("requires-action"),
  );
  for (const question of ["What grows here? tokens=4", "And what else? tokens=4"]) {
    await at.ask(question);
    await eventually(
      async () =>
        environment.model.requests
          .map(({ body }) => JSON.stringify(body ?? ""))
          .filter((asked) => asked.includes(question) && asked.includes(picture.toString("base64"))),
      (asked) => expect(asked.length).toBeGreaterThan(0),
    );
    await expect
      .poll(async () => (await at.answers.last().innerText()).trim(), { timeout: 15_000 })
      .toMatch(/\w+ \w+ \w+ \w+/);
  }
  await visitor.end();
});

test("live-threads.tsx shows what other tabs and devices change", async () => {
  const visitor = await visit(environment.browser, app.url, {
    path: "/?block=live-threads.tsx",
    service: environment.server.url,
  });
  const here = clientPage(visitor.page);
  const there = clientPage(await visitor.tab("/?block=live-threads.tsx"));
  await here.ask("Something about rivers tokens=4");
  const title = await here.titled();
  await there.active.getByRole("button", { name: title, exact: true }).waitFor();
  await there.open(title);
  await there.shows({ question: "Something about rivers" });
  await here.choose(title, "Archive");
  await there.archived.getByText(title).waitFor();
  // The open thread stays open.
  await there.shows({ question: "Something about rivers" });
  await there.newThread();
  await there.ask("And something about stones tokens=4");
  await eventually(here.titles, (titles) => expect(titles).toHaveLength(1));
  await here.choose(await here.titled(), "Delete");
  await eventually(there.titles, (titles) => expect(titles).toEqual([]));
  await visitor.end();
});

test("names the packed file", () => {
  const { name, version } = JSON.parse(readFileSync(join(root, "client/package.json"), "utf8")) as {
    name: string;
    version: string;
  };
  expect(blocks.get("install")).toContain(`${name}-${version}.tgz`);
});

test("names the installed versions", () => {
  const versions = [...page.matchAll(/`(@assistant-ui\/[\w-]+|assistant-cloud)`\)? (\d[\d., ]*\d)/g)];
  expect(versions.length).toBeGreaterThan(4);
  for (const [, name = "", listed = ""] of versions) {
    const installed = [name, ...newestOf(name)].map((path) => versionIn(join(root, "node_modules", path)));
    expect(
      listed.split(", ").some((version) => installed.includes(version)),
      `${name} ${listed}`,
    ).toBe(true);
  }
});

/** Where the newest version of a package is installed, beside the pinned one. */
function newestOf(name: string): string[] {
  const newest = "@assistant-ui/react-0.15.22";
  const paths = name === "@assistant-ui/react" ? [newest] : [join(newest, "node_modules", name)];
  return paths.filter((path) => existsSync(join(root, "node_modules", path)));
}
