import type { Person } from "#contract/endpoints/people.ts";
import { useSession } from "#web/data/session/session.ts";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import { printBytes, printDay, printList, printRecent, t } from "#web/i18n/translate.ts";
import { nameOf, personActions, type PersonActionContext } from "./person-actions.ts";
import { asName, Mark, Row } from "../../row.tsx";

/** A person with an account, and what an administrator can do with it. */
export function PersonRow({
  person,
  ...actions
}: { person: Person } & Omit<PersonActionContext, "isByOwner" | "isMe">) {
  const { me } = useSession();
  const isMe = me?.user_id === person.id;
  const name = nameOf(person);
  return (
    <Row
      name={name}
      mark={
        <>
          {person.role !== "member" && <Mark>{t(`role.${person.role}`)}</Mark>}
          {isMe && <Mark>{t("people.you")}</Mark>}
          {person.is_suspended && <Mark tone="danger">{t("people.suspended")}</Mark>}
          {person.deletes_at !== null && (
            <Mark tone="danger">{t("people.deletes", { day: printDay(new Date(person.deletes_at)) })}</Mark>
          )}
        </>
      }
      facts={[
        asName(person.email),
        t("people.seen", { day: printRecent(new Date(person.last_seen_at), new Date()) }),
        printBytes(person.storage_bytes),
        person.groups.length > 0 && t("people.groups", { groups: printList(person.groups) }),
        person.proxy_email !== null && t("people.atProxy", { address: person.proxy_email }),
        person.has_second_factor && t("people.hasSecondFactor"),
      ]}
    >
      {(person.role !== "owner" || me?.role === "owner") && (
        <MenuButton
          label={t("people.actions", { name })}
          tip={t("message.actions")}
          items={() => personActions(person, { ...actions, isByOwner: me?.role === "owner", isMe })}
        />
      )}
    </Row>
  );
}
