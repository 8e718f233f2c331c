import type { PullEvent } from "#contract/endpoints/providers.ts";
import type { ErrorCode } from "#contract/errors.ts";
import { isJsonObject, parseJson, type JsonObject } from "#contract/json.ts";
import { AppError } from "#server/lib/errors.ts";
import { ModelError } from "../model.ts";
import type { ProviderConnection } from "../providers/requests/provider-api.ts";
import { fetchFor } from "../providers/fetch-for.ts";
import { readFailure, toModelError } from "../providers/requests/failure.ts";

/** Ollama's lines have some 200 characters. */
const lineCharactersMax = 64 * 1024;

const deleteTimeoutMs = 30_000;

/**
 * Makes an Ollama server download a model, and reports the progress. Aborting the signal stops the download; Ollama keeps
 * what it has, and continues with it the next time. Throws `provider-…` errors if Ollama refuses at once.
 */
export async function pullModel(
  connection: ProviderConnection,
  model: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<AsyncIterable<PullEvent>> {
  const response = await send(connection, { method: "POST", path: "/api/pull", model }, fetch, signal);
  return readProgress(response, connection, signal);
}

/** Deletes a model from an Ollama server's disk. Throws `provider-…` errors; a model that is not there is no error. */
export async function deleteModel(
  connection: ProviderConnection,
  model: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<void> {
  const timeLimit = AbortSignal.any([signal, AbortSignal.timeout(deleteTimeoutMs)]);
  try {
    const response = await send(
      connection,
      { method: "DELETE", path: "/api/delete", model },
      fetch,
      timeLimit,
    );
    await response.body?.cancel();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError && error.code === "provider-model-unknown")) throw error;
  }
}

async function send(
  connection: ProviderConnection,
  { method, path, model }: { method: "POST" | "DELETE"; path: string; model: string },
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<Response> {
  const { baseUrl, apiKey } = connection;
  try {
    const response = await fetchFor(connection, fetch)(`${baseUrl}${path}`, {
      method,
      // The key must not reach another host.
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model }),
      signal,
    });
    if (response.ok) return response;
    const responseBody = (await response.text()).slice(0, lineCharactersMax);
    throw toAppError({ statusCode: response.status, responseBody }, apiKey);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelError) throw new AppError(error.code, { cause: error });
    throw error instanceof AppError ? error : toAppError(error, apiKey);
  }
}

async function* readProgress(
  response: Response,
  { apiKey }: ProviderConnection,
  signal: AbortSignal,
): AsyncGenerator<PullEvent> {
  // A model has several files; their lines alternate.
  const files = new Map<string, { completed: number; total: number }>();
  try {
    for await (const line of linesOf(response)) {
      const report = parseJson(line);
      if (!isJsonObject(report)) throw new AppError("provider-not-a-model");
      if (typeof report.error === "string") throw toAppError({ statusCode: 400, data: report }, apiKey);
      if (report.status === "success") return yield { type: "pull-end" };
      const { digest, total, completed } = report;
      if (typeof digest === "string" && typeof total === "number")
        files.set(digest, { total, completed: typeof completed === "number" ? completed : 0 });
      yield { type: "pull-progress", status: statusIn(report), ...sumOf(files) };
    }
  } catch (error) {
    signal.throwIfAborted();
    const { code } = error instanceof AppError ? error : toAppError(error, apiKey, "provider-broke-off");
    return yield { type: "pull-failed", code };
  }
  yield { type: "pull-failed", code: "provider-broke-off" };
}

function statusIn({ status }: JsonObject): string {
  return typeof status === "string" ? status : "";
}

function sumOf(files: ReadonlyMap<string, { completed: number; total: number }>) {
  let [completed, total] = [0, 0];
  for (const file of files.values()) {
    completed += file.completed;
    total += file.total;
  }
  return { completed, total };
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    if (rest.length > lineCharactersMax) throw new AppError("provider-not-a-model");
    yield* lines.filter((line) => line.trim() !== "");
  }
  if (rest.trim() !== "") yield rest;
}

function toAppError(error: unknown, apiKey: string | undefined, code?: ErrorCode): AppError {
  const failure = readFailure(error);
  const known = toModelError(failure, false, apiKey);
  const isUnknown =
    failure.status === 404 || /file does not exist|not found|invalid model name/i.test(failure.message);
  return new AppError(isUnknown ? "provider-model-unknown" : (code ?? known.code), { cause: known.cause });
}
