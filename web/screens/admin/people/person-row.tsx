import type { Person } from "#contract/endpoints/people.ts";
import { useSession } from "#web/data/session/session.ts";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import { printBytes, printDay, printList, printRecent, t } from "#web/i18n/translate.ts";
import { nameOf, personActions, type PersonActionContext } from "./person-actions.ts";
import styles from "../../screen.module.css";

/** A person with an account, and what an administrator can do with it. */
export function PersonRow({
  person,
  ...actions
}: { person: Person } & Omit<PersonActionContext, "isByOwner" | "isMe">) {
  const { me } = useSession();
  const isMe = me?.user_id === person.id;
  const name = nameOf(person);
  return (
    <li className={styles["row"]}>
      <span className={styles["words"]}>
        <bdi className={styles["name"]}>{name}</bdi>
        {person.role !== "member" && <span className={styles["mark"]}>{t(`role.${person.role}`)}</span>}
        {isMe && <span className={styles["mark"]}>{t("people.you")}</span>}
        {person.is_suspended && (
          <span className={styles["mark"]} data-tone="danger">
            {t("people.suspended")}
          </span>
        )}
        {person.deletes_at !== null && (
          <span className={styles["mark"]} data-tone="danger">
            {t("people.deletes", { day: printDay(new Date(person.deletes_at)) })}
          </span>
        )}
        <span className={styles["facts"]}>
          <bdi>{person.email}</bdi>
          <span>{t("people.seen", { day: printRecent(new Date(person.last_seen_at), new Date()) })}</span>
          <span>{printBytes(person.storage_bytes)}</span>
          {person.groups.length > 0 && (
            <span>{t("people.groups", { groups: printList(person.groups) })}</span>
          )}
          {person.proxy_email !== null && <span>{t("people.atProxy", { address: person.proxy_email })}</span>}
          {person.has_second_factor && <span>{t("people.hasSecondFactor")}</span>}
        </span>
      </span>
      {(person.role !== "owner" || me?.role === "owner") && (
        <MenuButton
          label={t("people.actions", { name })}
          tip={t("message.actions")}
          items={() => personActions(person, { ...actions, isByOwner: me?.role === "owner", isMe })}
        />
      )}
    </li>
  );
}
