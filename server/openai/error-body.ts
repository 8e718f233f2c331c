import { errorMessage, errors } from "#contract/errors.ts";
import type { AppError } from "../lib/errors.ts";

/** An error in the format of OpenAI's API. */
export type OpenAiError = {
  error: { message: string; type: string; code: string; param: string | null };
};

export function openAiErrorBody({ code, details, until }: AppError): OpenAiError {
  const { status } = errors[code];
  return {
    error: {
      message:
        details?.map((detail) => `${detail.path}: ${detail.message}`).join("; ") ?? errorMessage(code, until),
      type: status < 500 ? "invalid_request_error" : "server_error",
      code,
      param: details?.[0]?.path.replace(/^body\./, "") ?? null,
    },
  };
}
