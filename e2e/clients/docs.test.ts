import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStage } from "../support/stage.ts";
import { visit } from "../support/visit.ts";
import { startClientApp, type ClientApp } from "./app-server.ts";
import { clientPage } from "./page.ts";

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

const stage = openStage();
let app: ClientApp;
let folder: string;

beforeAll(async () => {
  const here = (code: string) => code.replaceAll("http://127.0.0.1:3000", stage.server.url);
  const key = makeKey();
  // Inside the repository, so that its packages resolve.
  mkdirSync(join(root, "dist"), { recursive: true });
  folder = mkdtempSync(join(root, "dist", "docs-"));
  writeFileSync(
    join(folder, "your-sign-in.ts"),
    'export const signedInUser = async (_: Request) => ({ id: "user_of_the_docs" });\n',
  );
  const route = join(folder, "token-route.ts");
  writeFileSync(
    route,
    here(blocks.get("token-route.ts") ?? "").replace("process.env.PARLANCE_API_KEY", JSON.stringify(key)),
  );
  const { POST } = (await import(pathToFileURL(route).href)) as {
    POST: (request: Request) => Promise<Response>;
  };
  app = await startClientApp({
    modelUrl: stage.model.url,
    service: { url: stage.server.url, apiKey: key, workspaceOf: (user) => user },
    pages: { folder: "docs-app", plugins: [blocksPlugin(here)] },
    routes: { "/api/chat-token": POST },
  });
});
afterAll(async () => {
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the commands of the page beside the running server. */
function makeKey(): string {
  const [, words] = /^npm run cli -- (.*)$/m.exec(blocks.get("sh") ?? "") ?? [];
  const args = [...(words ?? "").matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
  const { stdout, stderr } = spawnSync(process.execPath, ["cli/main.ts", ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: stage.server.folder },
    encoding: "utf8",
  });
  const key = /^sk_aui_proj_\S+$/m.exec(stdout)?.[0];
  if (key === undefined) throw new Error(`No key was made: ${stdout}${stderr}`);
  return key;
}

/** Resolves the page's code blocks as files beside `docs-app/main.tsx`. */
function blocksPlugin(here: (code: string) => string): Plugin {
  const pathOf = (file: string) => join(root, "e2e/clients/docs-app/from-the-page", file);
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

async function chatsAndRemembers(block: string): Promise<string[]> {
  const visitor = await visit(stage.browser, app.url, {
    path: `/?block=${block}`,
    service: stage.server.url,
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
      "cloud-chat.tsx",
      "cloud-runtime.tsx",
      "sh",
      "signed-in.tsx",
      "token-route.ts",
    ].toSorted(),
  );
});

test.for(["anonymous.tsx", "cloud-runtime.tsx", "cloud-chat.tsx"])(
  "%s is an app that remembers",
  async (block) => {
    const requests = await chatsAndRemembers(block);
    expect(requests.filter((request) => request.endsWith("/v1/auth/tokens/anonymous"))).toHaveLength(1);
  },
);

test("signed-in.tsx and token-route.ts form an app with history for signed-in people", async () => {
  const requests = await chatsAndRemembers("signed-in.tsx");
  expect(requests.filter((request) => request.endsWith("/anonymous"))).toEqual([]);
  expect(requests).toContain("POST /api/chat-token");
});

test("names the installed versions", () => {
  const versions = [...page.matchAll(/`(@assistant-ui\/[\w-]+|assistant-cloud)`\)? (\d[\d., ]*\d)/g)];
  expect(versions.length).toBeGreaterThan(4);
  for (const [, name, listed] of versions) {
    const { version } = JSON.parse(
      readFileSync(join(root, "node_modules", name ?? "", "package.json"), "utf8"),
    ) as {
      version: string;
    };
    expect(listed?.split(", "), name).toContain(version);
  }
});
