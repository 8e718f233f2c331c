import { useState } from "react";
import KeyRound from "lucide-react/icons/key-round";
import LogOut from "lucide-react/icons/log-out";
import PackageOpen from "lucide-react/icons/package-open";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import ShieldOff from "lucide-react/icons/shield-off";
import Trash from "lucide-react/icons/trash-2";
import Unplug from "lucide-react/icons/unplug";
import type { Person } from "#contract/endpoints/people.ts";
import { useJoinRequests, usePeople } from "#web/data/admin/people.ts";
import { useSession } from "#web/data/session/session.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation, type Confirmation } from "#web/ui/confirm.tsx";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { printBytes, printDay, printList, printRecent, t } from "#web/i18n/translate.ts";
import { ListContent, MoreButton } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { FindField } from "./find-field.tsx";
import { GroupFilter } from "./groups/group-filter.tsx";
import { LinkDialog } from "../link-dialog.tsx";
import styles from "../screen.module.css";

/** Longer than the pause between two keys, so that there is one search per word. */
const debounceMs = 150;

type People = ReturnType<typeof usePeople>;

/** `/admin/people`: everybody with an account, and those who ask for one. */
export function PeoplePage() {
  const [typed, setTyped] = useState("");
  const [link, setLink] = useState<string>();
  const [groupId, setGroupId] = useState("");
  const list = usePeople(useDebouncedValue(typed.trim(), debounceMs), groupId);
  const { confirm, dialog } = useConfirmation();
  return (
    <Page title={t("people.title")}>
      <JoinRequests list={list} />
      <FindField label={t("people.find")} value={typed} onChange={setTyped} />
      <GroupFilter groupId={groupId} onChange={setGroupId} />
      <ListContent
        list={list}
        isEmpty={list.people.length === 0}
        loadingLabel={t("people.loading")}
        failedTitle={t("people.failed")}
        empty={[
          typed === "" ? t(groupId === "" ? "people.empty" : "group.noMembers") : t("people.none", { typed }),
        ]}
      >
        <ul className={styles["list"]}>
          {list.people.map((person) => (
            <PersonRow key={person.id} person={person} list={list} confirm={confirm} onLink={setLink} />
          ))}
        </ul>
        <MoreButton list={list} />
      </ListContent>
      {dialog}
      {link !== undefined && (
        <LinkDialog
          title={t("people.resetLink")}
          about={t("people.resetLinkWhat")}
          link={link}
          onClose={() => setLink(undefined)}
        />
      )}
    </Page>
  );
}

function PersonRow({
  person,
  list,
  confirm,
  onLink,
}: {
  person: Person;
  list: People;
  confirm: (confirmation: Confirmation) => void;
  onLink: (link: string) => void;
}) {
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
          <span className={styles["mark"]} data-tone="loss">
            {t("people.suspended")}
          </span>
        )}
        {person.deletes_at !== null && (
          <span className={styles["mark"]} data-tone="loss">
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
          items={() => itemsOf(person, { list, confirm, onLink, isByOwner: me?.role === "owner", isMe })}
        />
      )}
    </li>
  );
}

function itemsOf(
  person: Person,
  {
    list,
    confirm,
    onLink,
    isByOwner,
    isMe,
  }: {
    list: People;
    confirm: (confirmation: Confirmation) => void;
    onLink: (link: string) => void;
    isByOwner: boolean;
    isMe: boolean;
  },
): MenuItem[] {
  const { id, role } = person;
  const name = nameOf(person);
  const attempt = (action: Promise<unknown>, done: string) =>
    void action.then(() => showToast(done), showFailure);
  const roles = (["owner", "admin", "member"] as const).filter((each) => each !== "owner" || isByOwner);
  return [
    ...roles.map((each): MenuItem => ({
      label: t(`role.${each}`),
      section: t("people.role"),
      checked: each === role,
      onSelect: () => {
        if (each !== role) attempt(list.update(id, { role: each }), t("account.saved"));
      },
    })),
    {
      label: t("people.resetLink"),
      icon: KeyRound,
      onSelect: () =>
        void list.createResetLink(id).then(({ link, is_mailed: isMailed }) => {
          if (link !== null) onLink(link);
          else showToast(t(isMailed ? "people.resetMailed" : "people.resetNotMailed", { name }));
        }, showFailure),
    },
    ...(person.has_second_factor && !isMe
      ? [
          {
            label: t("people.resetSecondFactor"),
            icon: ShieldOff,
            onSelect: () =>
              confirm({
                text: t("people.resetSecondFactorAsk", { name }),
                label: t("people.resetSecondFactor"),
                async run() {
                  await list.resetSecondFactor(id);
                  return t("people.secondFactorReset", { name });
                },
              }),
          },
        ]
      : []),
    ...(person.proxy_email === null
      ? []
      : [
          {
            label: t("people.disconnectProxy"),
            icon: Unplug,
            onSelect: () =>
              confirm({
                text: t("people.disconnectProxyAsk", { name }),
                label: t("account.disconnect"),
                async run() {
                  await list.removeProxyIdentity(id);
                  return t("account.disconnected");
                },
              }),
          },
        ]),
    {
      label: t("people.signOut"),
      icon: LogOut,
      onSelect: () => attempt(list.endSessions(id), t("people.signedOut", { name })),
    },
    person.is_suspended
      ? {
          label: t("people.restore"),
          icon: Play,
          onSelect: () => attempt(list.update(id, { is_suspended: false }), t("people.restored", { name })),
        }
      : {
          label: t("people.suspend"),
          icon: Pause,
          onSelect: () =>
            confirm({
              text: t("people.suspendAsk", { name }),
              label: t("people.suspend"),
              async run() {
                await list.update(id, { is_suspended: true });
                return t("people.suspendedNow", { name });
              },
            }),
        },
    ...(person.deletes_at !== null
      ? []
      : [
          {
            label: t("people.deleteLater"),
            icon: PackageOpen,
            tone: "loss" as const,
            onSelect: () =>
              confirm({
                text: t("people.deleteLaterAsk", { name }),
                label: t("action.delete"),
                async run() {
                  const { is_mailed: isMailed } = await list.remove(id, true);
                  return t(isMailed ? "people.deletedLaterMailed" : "people.deletedLater", { name });
                },
              }),
          },
        ]),
    {
      label: t("people.delete"),
      icon: Trash,
      tone: "loss",
      onSelect: () =>
        confirm({
          text: t("people.deleteAsk", { name }),
          label: t("action.delete"),
          async run() {
            await list.remove(id);
            return t("people.deleted", { name });
          },
        }),
    },
  ];
}

function JoinRequests({ list }: { list: People }) {
  const pages = useJoinRequests();
  const { requests } = pages;
  if (requests.length === 0) return null;
  const attempt = (action: Promise<unknown>, done: string) =>
    void action.then(() => showToast(done), showFailure);
  return (
    <section aria-labelledby="join-requests">
      <h2 id="join-requests" className={styles["heading"]}>
        {t("people.requests")}
      </h2>
      <ul className={styles["list"]}>
        {requests.map(({ user_id: id, name, email }) => (
          <li key={id} className={styles["row"]}>
            <span className={styles["words"]}>
              <bdi className={styles["name"]}>{name}</bdi>
              <span className={styles["facts"]}>
                <bdi>{email}</bdi>
              </span>
            </span>
            <span className={styles["buttons"]}>
              <Button
                aria-label={t("people.denyNamed", { name: name ?? "" })}
                onClick={() => attempt(list.deny(id), t("people.denied"))}
              >
                {t("people.deny")}
              </Button>
              <Button
                look="strong"
                aria-label={t("people.approveNamed", { name: name ?? "" })}
                onClick={() => attempt(list.approve(id), t("people.approved"))}
              >
                {t("people.approve")}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <MoreButton list={pages} />
    </section>
  );
}

function nameOf({ name, email }: Pick<Person, "name" | "email">): string {
  return name ?? email ?? "";
}
