import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { api } from "#contract/api.ts";
import { openAiEndpoints } from "#contract/endpoints/openai.ts";
import { basePathOf } from "./base-path.ts";
import { readConfig } from "./settings.ts";

const publicUrlOf = (text: string) => readConfig("/", { PUBLIC_URL: text }).publicUrl;

test.for([
  ["https://Example.com/chat/", "https://example.com/chat", "/chat"],
  ["https://example.com:8443/apps/Chat_2", "https://example.com:8443/apps/Chat_2", "/apps/Chat_2"],
  ["https://example.com", "https://example.com", ""],
])("the path of %s is where the server is", ([text, publicUrl, path]) => {
  expect([publicUrlOf(text!), basePathOf(publicUrl)]).toEqual([publicUrl, path]);
});

test.for([
  ["https://example.com/chat?a=b", "must end with its host or its path."],
  ["https://example.com/chat#a", "must end with its host or its path."],
  ["https://example.com/our chat", "must have only letters, digits and -._~ in its path"],
  ["https://example.com/a//b", "must have only letters, digits and -._~ in its path"],
  [
    "https://example.com/V1/chat",
    "must not have a path that begins with /V1, which is one of the server's own.",
  ],
])("%s is refused as the public URL", ([text, message]) => {
  expect(() => publicUrlOf(text!)).toThrow(`PUBLIC_URL ${message}`);
});

test("a path cannot begin like one of the web app, the API or the server's pages", async () => {
  const routes = await readFile(join(import.meta.dirname, "..", "..", "web", "app", "routes.tsx"), "utf8");
  const ofWebApp = [...routes.matchAll(/path: "\/([^"/$]+)/g)].map(([, segment]) => segment!);
  const ofServer = Object.values({ ...api, ...openAiEndpoints }).map(({ path }) => path.split("/")[1]!);
  const ofPages = ["assets", "docs", "healthz", "livez", "metrics", "program", "readyz"];
  expect(ofWebApp.length).toBeGreaterThan(15);
  for (const segment of new Set([...ofWebApp, ...ofServer, ...ofPages]))
    expect(() => publicUrlOf(`https://example.com/${segment}`), segment).toThrow(`/${segment}, which is`);
});
