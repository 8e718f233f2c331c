import { createServer } from "node:http";
import { jsonSchema, streamText, type LanguageModel, type ModelMessage } from "ai";
import type { ProviderKindId } from "#contract/provider-kinds.ts";

/**
 * The baseline of the benchmark `providers`: an app that answers each request with the AI SDK's stream of one provider, as
 * its documentation shows. `KIND` and `BASE_URL` name the provider; a request has `messages` and `tools`.
 */
const kind = process.env.KIND as ProviderKindId;
const model = await createModel(kind, { baseURL: process.env.BASE_URL!, apiKey: "key" });

async function createModel(
  of: ProviderKindId,
  options: { baseURL: string; apiKey: string },
): Promise<LanguageModel> {
  if (of === "openai") return (await import("@ai-sdk/openai")).createOpenAI(options).responses("fixture-1");
  if (of === "anthropic") return (await import("@ai-sdk/anthropic")).createAnthropic(options)("fixture-1");
  if (of === "google") return (await import("@ai-sdk/google")).createGoogle(options)("fixture-1");
  if (of === "mistral") return (await import("@ai-sdk/mistral")).createMistral(options)("fixture-1");
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({ name: of, ...options })("fixture-1");
}

type Asked = { messages: ModelMessage[]; tools: string[] };

const server = createServer((request, response) => {
  void (async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { messages, tools } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    const inputSchema = jsonSchema({ type: "object", properties: { text: { type: "string" } } });
    const declared = tools.map((name) => [name, { description: `Does ${name}.`, inputSchema }] as const);
    const answer = streamText({ model, messages, tools: Object.fromEntries(declared) });
    await answer.pipeTextStreamToResponse(response);
  })();
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}`);
});
process.on("SIGTERM", () => process.exit(0));
