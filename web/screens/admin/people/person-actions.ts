import KeyRound from "lucide-react/icons/key-round";
import LogOut from "lucide-react/icons/log-out";
import PackageOpen from "lucide-react/icons/package-open";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import ShieldOff from "lucide-react/icons/shield-off";
import Trash from "lucide-react/icons/trash-2";
import Unplug from "lucide-react/icons/unplug";
import type { Person } from "#contract/endpoints/people.ts";
import type { usePeople } from "#web/data/admin/people.ts";
import type { Confirmation } from "#web/ui/confirm.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

export type PersonActionContext = {
  list: ReturnType<typeof usePeople>;
  confirm: (confirmation: Confirmation) => void;
  /** Shows a link to set a new password. */
  onLink: (link: string) => void;
  isByOwner: boolean;
  isMe: boolean;
};

/** The menu of a person. */
export function personActions(
  person: Person,
  { list, confirm, onLink, isByOwner, isMe }: PersonActionContext,
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
            tone: "danger" as const,
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
      tone: "danger",
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

export function nameOf({ name, email }: Pick<Person, "name" | "email">): string {
  return name ?? email ?? "";
}
