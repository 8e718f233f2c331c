import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { apiKey } from "#fixtures/people.ts";
import { attach, gardenPng } from "#tests/support/data/files.ts";
import { startNetwork } from "#tests/support/servers/network.ts";
import { describeServer, startTestServer, type TestServer } from "#tests/support/servers/server.ts";
import { download } from "../../client/download.ts";

describeServer("a chat route with attachments", { model: true, on: ["sqlite"] }, (server) => {
  test("sends the server's files to its model, from a private address", async () => {
    const { publicUrl } = await attach(server().inNewWorkspace(), "garden.png", gardenPng, "image/png");
    const files = download({ baseUrl: `${server().url}/` });
    expect(await ask(server(), publicUrl, "Without it")).toBeDefined();
    expect(await ask(server(), publicUrl, "With it", files)).toBeUndefined();
    const [asked] = await server().requestsWith("With it");
    expect(JSON.stringify(asked?.body)).toContain(gardenPng.toString("base64"));
    // A page can name any address of this network, so only the server's files are read.
    for (const address of [`${server().url}/healthz`, `${server().url}/v1/content/../../healthz`])
      expect(await ask(server(), address, "Elsewhere", files), address).toBeDefined();
    const otherName = publicUrl.replace("127.0.0.1", "localhost");
    const { origin } = new URL(otherName);
    expect(String(await ask(server(), otherName, "Other name", files))).toContain(
      `pass ${origin} as filesUrl`,
    );
    const gone = publicUrl.replace(/[^/]*$/, "00000000000000000000000000.png");
    expect(String(await ask(server(), gone, "Gone", files))).toContain("status 404");
  });

  test("reads them at another address than the browser, as from a container", async () => {
    const { publicUrl } = await attach(server().inNewWorkspace(), "garden.png", gardenPng, "image/png");
    const { pathname } = new URL(publicUrl);
    const inBrowser = `https://chat.example.com${pathname}`;
    const files = download({ baseUrl: "https://chat.example.com", internalUrl: server().url });
    expect(await ask(server(), inBrowser, "Inside", files)).toBeUndefined();
    const other = `https://chat.example.com.evil.example${pathname}`;
    expect(await ask(server(), other, "Outside", files)).toBeDefined();
  });
});

describeServer(
  "a chat route of a server with private files",
  { model: true, on: ["sqlite"], settings: { FILES_PRIVATE: "on" } },
  (server) => {
    test("reads those of a page that was open for long, with an API key", async () => {
      const visitor = await server().anonymous();
      const { publicUrl } = await attach(visitor, "garden.png", gardenPng, "image/png");
      server().clock.advance(60 * 60_000);
      const baseUrl = server().url;
      expect(String(await ask(server(), publicUrl, "Expired", download({ baseUrl })))).toContain(
        "status 403",
      );
      for (const options of [
        { baseUrl, apiKey },
        { baseUrl: "https://chat.example.com", filesUrl: baseUrl, internalUrl: baseUrl, apiKey },
      ])
        expect(await ask(server(), publicUrl, "Renewed", download(options))).toBeUndefined();
      const forged = publicUrl.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
      for (const url of [forged, publicUrl.slice(0, publicUrl.indexOf("?"))])
        expect(await ask(server(), url, "Forged", download({ baseUrl, apiKey }))).toBeDefined();
    });
  },
);

test("a chat route reads files of the server's separate origin for files", async () => {
  const target = { port: 0 };
  const filesOrigin = await startNetwork(target);
  onTestFinished(filesOrigin.close);
  const settings = { FILES_ORIGIN: filesOrigin.url };
  const server = await startTestServer({ engine: "sqlite", model: true, settings });
  onTestFinished(server.close);
  target.port = server.port;
  const { publicUrl } = await attach(server.inNewWorkspace(), "garden.png", gardenPng, "image/png");
  expect(publicUrl).toContain(filesOrigin.url);
  const files = download({ baseUrl: server.url, filesUrl: filesOrigin.url });
  // URLs from before that setting begin with the server's address.
  for (const url of [publicUrl, server.url + new URL(publicUrl).pathname])
    expect(await ask(server, url, "Both", files), url).toBeUndefined();
});

/** Asks a model about a file. Returns the failure, if there is one. */
async function ask(
  server: TestServer,
  url: string,
  words: string,
  files?: ReturnType<typeof download>,
): Promise<unknown> {
  let failure: unknown;
  const { text } = streamText({
    ...(files && { experimental_download: files }),
    model: createOpenAICompatible({ name: "fixture", baseURL: server.model.url })("fixture-1"),
    maxRetries: 0,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: words },
          { type: "file", data: new URL(url), mediaType: "image/png" },
        ],
      },
    ],
    onError: ({ error }) => void (failure = error),
  });
  await text.then(undefined, () => {});
  return failure;
}
