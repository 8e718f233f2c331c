import * as z from "zod/mini";
import { api, type Endpoint, type EndpointName } from "#contract/api.ts";
import { errors, type ErrorBody } from "#contract/errors.ts";
import { errorsOf } from "#contract/reference/errors-of.ts";
import { notes, type Note } from "#contract/reference/notes.ts";
import { remedyOf } from "#server/lib/validation-message.ts";

/** Throws where an endpoint answers what the API reference does not say of it. Every call of the tests passes here. */
export function asDocumented(
  name: EndpointName,
  answer: { status: number; body: unknown; text: string },
): void {
  const endpoint: Endpoint = api[name];
  const note: Note<EndpointName> = notes[name];
  const { own, usual } = errorsOf(name);
  if (answer.status >= 400) {
    const { code } = (answer.body ?? {}) as Partial<ErrorBody>;
    if (code === undefined || !(code in errors)) return;
    if (![...own, ...usual].includes(code))
      throw new Error(
        `${name} answered "${code}", which its reference does not tell: add it to its errors in contract/reference/notes.ts.`,
      );
    return;
  }
  if (answer.status !== endpoint.status && answer.status !== note.orStatus?.status)
    throw new Error(`${name} answered ${answer.status}, which its reference does not tell.`);
  if (endpoint.answer === undefined) return;
  const { error } = z.safeParse(endpoint.answer, answer.body);
  if (error === undefined) return;
  const details = error.issues.map((issue) => `${issue.path.join(".")} ${remedyOf(issue)}`).join("; ");
  throw new Error(
    `${name} answered what is not of the shape that contract/api.ts gives it: ${details}. ${answer.text}`,
  );
}
