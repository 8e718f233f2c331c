import * as z from "zod/mini";
import { endpoints } from "../endpoints/endpoints.ts";
import { anyId, described, namedObject, queryNumber, timestamp } from "../endpoints/fields.ts";
import { mailLanguage } from "../endpoints/mail.ts";

const preparedPerson = namedObject(
  "PreparedPerson",
  "Somebody whose threads were imported from another server, and who has no account here yet.",
  {
    id: z.string(),
    name: described(z.string(), "As the other server has it."),
    email: described(z.string(), "As the other server has it. Nobody has proved that it is theirs."),
    threads: described(z.number(), "How many threads wait for them."),
    imported_at: timestamp,
    mailed_at: described(z.nullable(timestamp), "When their last invitation was sent by e-mail."),
    invitation_expires_at: described(
      z.nullable(timestamp),
      "Until when the last invitation works; null if there is none that works.",
    ),
  },
);
export type PreparedPerson = z.infer<typeof preparedPerson>;

export const preparedPeopleEndpoints = endpoints("account", {
  "preparedPeople.list": {
    request: "GET /v1/prepared-people",
    permission: "people.manage",
    summary: "List the people who have not claimed their import",
    description:
      "The last imported first. Each gets their threads with an invitation, or by signing in with a sign-in provider that has `claims_imports`. `next` is `after` of the next page.",
    query: z.object({ after: z.optional(anyId), limit: z.optional(queryNumber(1, 200)) }),
    response: z.object({ people: z.array(preparedPerson), next: z.nullable(z.string()) }),
    errors: ["bad-cursor"],
  },
  "preparedPeople.invite": {
    request: "POST /v1/prepared-people/{person_id}/invitation",
    permission: "people.manage",
    audit: "invitation-created",
    summary: "Invite a person who was imported",
    description:
      "Creates a link with which the person gets their threads within seven days. The earlier link ends. With `send`, the server sends it to the address of the import, and returns no link if the mail server took it.",
    body: z.object({
      send: z.optional(z.boolean()),
      language: described(z.optional(mailLanguage), "The language of the e-mail."),
    }),
    response: z.object({
      link: z.nullable(z.string()),
      is_mailed: described(z.boolean(), "Whether the mail server took the message."),
    }),
    errors: ["mail-not-set", "person-not-found"],
    example: { body: {} },
  },
  "preparedPeople.remove": {
    request: "DELETE /v1/prepared-people/{person_id}",
    permission: "people.manage",
    audit: "person-deleted",
    summary: "Remove a person who was imported",
    description: "Deletes everything that waits for them, for ever. Their invitation ends.",
    errors: ["person-not-found"],
  },
});
