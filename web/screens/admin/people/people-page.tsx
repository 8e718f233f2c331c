import { useState } from "react";
import { usePeople } from "#web/data/admin/people.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { t } from "#web/i18n/translate.ts";
import { FindField } from "../../find-field.tsx";
import { LinkDialog } from "../../link-dialog.tsx";
import { Rows } from "../../rows.tsx";
import { Page } from "../../page.tsx";
import { GroupFilter } from "../groups/group-filter.tsx";
import { JoinRequests } from "./join-requests.tsx";
import { OpenToGuestsNote } from "./open-to-guests.tsx";
import { PersonRow } from "./person-row.tsx";

/** `/admin/people`: everybody with an account, and those who ask for one. */
export function PeoplePage() {
  const [typed, setTyped] = useState("");
  const [link, setLink] = useState<string>();
  const [groupId, setGroupId] = useState("");
  const list = usePeople(useDebouncedValue(typed.trim()), groupId);
  const { confirm, dialog } = useConfirmation();
  return (
    <Page title={t("people.title")}>
      <OpenToGuestsNote />
      <JoinRequests list={list} />
      <FindField label={t("people.find")} value={typed} onChange={setTyped} />
      <GroupFilter groupId={groupId} onChange={setGroupId} />
      <Rows
        list={list}
        rows={list.people}
        loadingLabel={t("people.loading")}
        failedTitle={t("people.failed")}
        empty={[
          typed === "" ? t(groupId === "" ? "people.empty" : "group.noMembers") : t("people.none", { typed }),
        ]}
      >
        {(person) => <PersonRow person={person} list={list} confirm={confirm} onLink={setLink} />}
      </Rows>
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
