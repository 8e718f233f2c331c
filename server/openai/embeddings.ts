import type { EmbeddingsBody } from "#contract/endpoints/openai.ts";
import type { Database } from "#storage/database/database.ts";
import type { Budgets } from "../people/budgets/budgets.ts";
import type { Rights } from "../people/rights/rights.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { Visitor } from "../lib/route.ts";
import type { Models } from "../models/models.ts";
import { tokensOfJson } from "../runs/requests/estimate-usage.ts";
import type { ReserveRequest } from "../runs/requests/reserve-request.ts";
import { createApiClientRecorder, toAppError } from "./api-client-request.ts";

export type Embeddings = ReturnType<typeof createEmbeddings>;

/** Vectors for the texts of API clients, in OpenAI's format. */
export function createEmbeddings(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  models: Models;
  rights: Rights;
  budgets: Pick<Budgets, "check">;
  reserve: ReserveRequest;
}) {
  return {
    /** Throws `model-not-allowed`, `model-not-found`, `no-embeddings`, `budget-used`, `budget-wait`, and the errors of models. */
    async embed(visitor: Visitor, body: EmbeddingsBody, signal: AbortSignal) {
      if (!(await options.rights.of(visitor)).model(body.model)) throw new AppError("model-not-allowed");
      const embedder = await options.models.getEmbedder(body.model);
      // The price is not known before the request.
      const tokens = (await options.budgets.check(visitor)) ? tokensOfJson(body.input) : undefined;
      const end = await options.reserve(
        visitor,
        tokens === undefined ? undefined : { tokens, costMicros: 0 },
      );
      const recorder = createApiClientRecorder(options, visitor, { purpose: "embedding" });
      try {
        const { vectors, inputTokens = 0 } = await embedder.embed(
          [body.input].flat(),
          signal,
          recorder.observer(),
        );
        const print = body.encoding_format === "base64" ? toBase64 : (vector: number[]) => vector;
        return {
          object: "list",
          data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: print(vector) })),
          model: body.model,
          usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
        } as const;
      } catch (error) {
        throw toAppError(error, options.logger);
      } finally {
        await recorder.save();
        await end();
      }
    },
  };
}

/** 32-bit floating-point numbers, the least significant byte first. */
function toBase64(vector: number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString("base64");
}
