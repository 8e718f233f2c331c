import { actorOf } from "#server/audit/audit.ts";
import { AppError } from "#server/lib/errors.ts";
import type { RequestFacts, Routes } from "#server/lib/route.ts";
import type { Mail } from "../mail/mail.ts";
import type { PreparedPeople } from "./prepared-people.ts";

export function preparedPeopleRoutes(
  preparedPeople: PreparedPeople,
  mail: Mail,
  webUrl: (request: RequestFacts) => string,
): Routes<"preparedPeople.list" | "preparedPeople.invite" | "preparedPeople.remove"> {
  return {
    "preparedPeople.list": async ({ query }) => await preparedPeople.list(query),
    "preparedPeople.invite": async ({ visitor, params, body, request }) => {
      const sends = body.send === true;
      if (sends && !(await mail.isSet())) throw new AppError("mail-not-set");
      const inviter = { id: visitor.userId, actor: actorOf({ visitor, request }) };
      const { token, email, inviterName } = await preparedPeople.invite(inviter, params.person_id);
      const link = `${webUrl(request)}/invite#${token}`;
      if (!sends) return { link, is_mailed: false };
      const server = new URL(webUrl(request)).host;
      const { language = "en" } = body;
      const message = { kind: "invitation", language, server, inviter: inviterName ?? server, link } as const;
      const isMailed = email !== "" && (await mail.deliver(email, message));
      if (isMailed) await preparedPeople.setMailed(params.person_id);
      // Who has the link gets the chats. If it was sent, the administrator does not need it.
      return { link: isMailed ? null : link, is_mailed: isMailed };
    },
    "preparedPeople.remove": async ({ visitor, params, request }) => {
      await preparedPeople.remove(actorOf({ visitor, request }), params.person_id);
      return {};
    },
  };
}
