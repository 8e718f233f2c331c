import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import react from "@vitejs/plugin-react";
import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateId,
  isStepCount,
  jsonSchema,
  streamText,
  tool,
  type UIMessage,
} from "ai";
import { AssistantCloud } from "assistant-cloud";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build, type Plugin, type Rolldown } from "vite";
import { listenLocally } from "../../fixtures/local-server.ts";
import { newAppFolder, newAppPackages } from "../../scripts/clients/new-app-packages.ts";
import { newestPackages } from "./newest-packages.ts";
import { download } from "../../client/download.ts";

/** A test app on its own origin: its pages, its chat route, and its backend with an API key. */
export type ClientApp = { url: string; close(): Promise<void> };

type Options = {
  /** The model server of the app's own routes. */
  modelUrl: string;
  /** The chat service, and the key with which the app's backend creates tokens for its users. */
  service: { url: string; apiKey: string; workspaceOf(user: string): string };
  /** Builds the pages with assistant-ui's newest packages instead of the pinned ones. */
  newest?: boolean;
  /** Another folder of pages than `app/`, and what its build needs. */
  pages?: { folder: string; plugins: Plugin[] };
  /** The app's own routes, by path. */
  routes?: Record<string, (request: Request) => Promise<Response>>;
};

export async function startClientApp(options: Options): Promise<ClientApp> {
  // With a new app's packages, these are the newest.
  const plugins = options.newest === true && newAppFolder === undefined ? [newestPackages()] : [];
  const files = await buildApp(options.pages ?? { folder: "app", plugins });
  const server = createServer((request, response) => {
    answer(request, options, files)
      .catch((error: unknown) => new Response(String(error), { status: 500 }))
      .then(async (answered) => await write(answered, response))
      .catch(() => response.destroy());
  });
  return await listenLocally(server);
}

async function buildApp({ folder, plugins }: NonNullable<Options["pages"]>): Promise<Map<string, string>> {
  const built = (await build({
    root: fileURLToPath(new URL(folder, import.meta.url)),
    configFile: false,
    logLevel: "warn",
    plugins: [...newAppPackages(), ...plugins, react()],
    build: { write: false, chunkSizeWarningLimit: 5_000 },
  })) as Rolldown.RolldownOutput;
  return new Map(
    built.output.map((file) => [
      `/${file.fileName}`,
      file.type === "chunk" ? file.code : String(file.source),
    ]),
  );
}

async function answer(
  request: IncomingMessage,
  options: Options,
  files: Map<string, string>,
): Promise<Response> {
  const url = new URL(request.url ?? "/", "http://app");
  const route = options.routes?.[url.pathname];
  if (route !== undefined)
    return await route(new Request(url, { method: "POST", body: await text(request) }));
  switch (url.pathname) {
    case "/api/chat":
      return await chat(options, JSON.parse(await text(request)) as { messages: UIMessage[] });
    case "/api/words":
      return await words(options.modelUrl, JSON.parse(await text(request)) as { question: string });
    case "/api/token":
      return await mint(options.service, url.searchParams.get("user") ?? "");
    default:
      return page(url.pathname, files);
  }
}

function page(path: string, files: Map<string, string>): Response {
  const file = files.get(path === "/" ? "/index.html" : path);
  if (file === undefined) return new Response(null, { status: path === "/favicon.ico" ? 204 : 404 });
  return new Response(file, {
    headers: { "Content-Type": path.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8" },
  });
}

/** A chat route as in the docs of the AI SDK and assistant-ui, with a tool, and with sources on request. */
async function chat(options: Options, { messages }: { messages: UIMessage[] }): Promise<Response> {
  const modelMessages = await convertToModelMessages(messages);
  const stream = createUIMessageStream({
    originalMessages: messages,
    onError: (error) => (error instanceof Error ? error.message : "The model failed."),
    execute({ writer }) {
      const result = streamText({
        model: model(options.modelUrl),
        messages: modelMessages,
        maxRetries: 0,
        stopWhen: isStepCount(3),
        experimental_download: download({ baseUrl: options.service.url }),
        tools: {
          weather: tool({
            description: "The weather of a city",
            inputSchema: jsonSchema<{ city: string }>({
              type: "object",
              properties: { city: { type: "string" } },
              required: ["city"],
            }),
            execute: () => ({ degrees: 3 }),
          }),
        },
        onError() {},
      });
      // Starts the message here, so that these parts and the model's parts have the same id.
      writer.write({ type: "start", messageId: generateId() });
      writer.merge(result.toUIMessageStream({ sendStart: false, sendReasoning: true, onError: String }));
      if (!JSON.stringify(messages.at(-1)).includes("with sources")) return;
      writer.write({ type: "source-url", sourceId: "s1", url: "https://example.org/a", title: "A source" });
      writer.write({ type: "file", mediaType: "text/plain", url: "data:text/plain;base64,aGVsbG8=" });
      writer.write({ type: "data-chart", data: { bars: [1, 2] } });
    },
  });
  return createUIMessageStreamResponse({ stream });
}

async function words(modelUrl: string, { question }: { question: string }): Promise<Response> {
  let failure: unknown;
  const result = streamText({
    model: model(modelUrl),
    prompt: question,
    maxRetries: 0,
    onError: ({ error }) => void (failure = error),
  });
  const pieces = result.textStream[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (failure !== undefined || first.done === true)
    return new Response(failure instanceof Error ? failure.message : "The model said nothing.", {
      status: 502,
    });
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(first.value)),
    async pull(controller) {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(new TextEncoder().encode(next.value));
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}

function model(modelUrl: string) {
  return createOpenAICompatible({ name: "fixture", baseURL: modelUrl })("fixture-1");
}

async function mint(service: Options["service"], user: string): Promise<Response> {
  const cloud = new AssistantCloud({
    baseUrl: service.url,
    apiKey: service.apiKey,
    userId: user,
    workspaceId: service.workspaceOf(user),
  });
  return Response.json(await cloud.auth.tokens.create());
}

async function write(answered: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body !== null) {
    for await (const chunk of answered.body) {
      if (response.destroyed) return;
      response.write(chunk);
    }
  }
  response.end();
}
