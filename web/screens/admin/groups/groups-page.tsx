import { useState } from "react";
import { Link } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { limitedRoles } from "#contract/accounts/rights.ts";
import { useAccessSettings, useGroups } from "#web/data/admin/groups.ts";
import { useCan } from "#web/data/session/session.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { Icon } from "#web/ui/icon.tsx";
import { showOutcome } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { Rows } from "../../rows.tsx";
import { Page } from "../../page.tsx";
import { FindField } from "../../find-field.tsx";
import { Row } from "../../row.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./groups-page.module.css";

/** `/admin/groups`: what members and guests may use, the groups, and whether links to chats work. */
export function GroupsPage() {
  const [typed, setTyped] = useState("");
  const list = useGroups(useDebouncedValue(typed.trim()));
  return (
    <Page title={t("groups.title")}>
      <p className={screenStyles["about"]}>{t("groups.about")}</p>
      <ul className={screenStyles["list"]}>
        {limitedRoles.map((role) => (
          <Row key={role} link={toGroup(role)} name={t(`groups.${role}`)} facts={[t(`groups.${role}What`)]} />
        ))}
      </ul>
      <FindField label={t("groups.find")} value={typed} onChange={setTyped} />
      <Rows
        list={list}
        rows={list.groups}
        loadingLabel={t("groups.loading")}
        failedTitle={t("groups.failed")}
        empty={typed === "" ? [t("groups.empty"), t("groups.emptyHint")] : [t("people.none", { typed })]}
      >
        {({ id, name, people, claim }) => (
          <Row
            link={toGroup(id)}
            name={name}
            facts={[
              t("groups.people", { count: people }),
              claim !== null && t("groups.byClaim", { value: claim.value }),
            ]}
          />
        )}
      </Rows>
      <p className={styles["addRow"]}>
        <Link {...toGroup("new")} className={screenStyles["add"]}>
          <Icon of={Plus} size={16} />
          {t("group.new")}
        </Link>
      </p>
      <LinkSharing />
    </Page>
  );
}

function toGroup(groupId: string) {
  return { to: "/admin/groups/$groupId", params: { groupId } } as const;
}

/** The owner's switch for links to chats. */
function LinkSharing() {
  const { settings, save } = useAccessSettings();
  const mayChange = useCan("sharing.restrict") === true;
  if (settings === undefined) return null;
  return (
    <section aria-labelledby="link-sharing">
      <h2 id="link-sharing" className={screenStyles["heading"]}>
        {t("linkSharing.title")}
      </h2>
      <CheckField
        label={t("linkSharing.on")}
        hint={t(mayChange ? "linkSharing.onHint" : "linkSharing.onlyOwner")}
        checked={settings.link_sharing}
        disabled={!mayChange}
        onChange={(isOn) => showOutcome(save({ link_sharing: isOn }), t("account.saved"))}
      />
    </section>
  );
}
