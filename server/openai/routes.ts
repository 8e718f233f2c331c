import type { ChatBody, EmbeddingsBody, ListedModel, ListedModels } from "#contract/endpoints/openai.ts";
import type { RequestFacts, TextStream, Visitor } from "../lib/route.ts";
import type { Chat } from "./chat.ts";
import type { Embeddings } from "./embeddings.ts";
import { findListed, type FindModel } from "./find-model.ts";

type Call<Params, Body> = { visitor: Visitor; params: Params; body: Body; request: RequestFacts };

/** The functions of `openAiEndpoints`. */
export type OpenAiRoutes = {
  "openai.models": (call: Call<undefined, undefined>) => Promise<ListedModels>;
  "openai.model": (call: Call<{ model: string }, undefined>) => Promise<ListedModel>;
  "openai.chat": (call: Call<undefined, ChatBody>) => Promise<object | TextStream>;
  "openai.embeddings": (call: Call<undefined, EmbeddingsBody>) => Promise<object>;
};

export function openAiRoutes(models: FindModel, chat: Chat, embeddings: Embeddings): OpenAiRoutes {
  return {
    "openai.models": async ({ visitor }) => ({ object: "list", data: await models.list(visitor) }),
    "openai.model": async ({ visitor, params }) => findListed(await models.list(visitor), params.model),
    "openai.embeddings": async ({ visitor, body, request }) =>
      await embeddings.embed(visitor, body, request.signal),
    "openai.chat": async ({ visitor, body, request }) => await chat.answer(visitor, body, request.signal),
  };
}
