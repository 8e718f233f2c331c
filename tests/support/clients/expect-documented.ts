import * as z from "zod/mini";
import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { errors, type ErrorBody } from "#contract/errors.ts";
import { errorsOf } from "#contract/reference/errors-of.ts";
import { validationMessage } from "#server/lib/validation-message.ts";

/** Throws if a response differs from the API reference. The tests check every call with this. */
export function asDocumented(
  name: EndpointName,
  answer: { status: number; body: unknown; text: string },
): void {
  const endpoint: Endpoint = api[name];
  const { own, common } = errorsOf(name);
  if (answer.status >= 400) {
    const { code } = (answer.body ?? {}) as Partial<ErrorBody>;
    if (code === undefined || !(code in errors)) return;
    if (![...own, ...common].includes(code))
      throw new Error(
        `${name} answered the undocumented error "${code}": add it to the errors of the endpoint in contract/endpoints/.`,
      );
    return;
  }
  if (answer.status !== endpoint.status && answer.status !== endpoint.otherSuccess?.status)
    throw new Error(`${name} answered the undocumented status ${answer.status}.`);
  if (endpoint.response === undefined) return;
  const { error } = z.safeParse(endpoint.response, answer.body);
  if (error === undefined) return;
  const details = error.issues
    .map((issue) => `${issue.path.join(".")} ${validationMessage(issue)}`)
    .join("; ");
  throw new Error(
    `${name} answered a body that does not match its schema in contract/endpoints/: ${details}. ${answer.text}`,
  );
}
