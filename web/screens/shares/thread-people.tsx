import { type ReactNode, useState } from "react";
import type { MemberAccess, MemberCandidate, ThreadMember } from "#contract/endpoints/thread-members.ts";
import { useSession } from "#web/data/session/session.ts";
import { useMemberCandidates, useThreadMembers } from "#web/data/shares/members.ts";
import { useThread } from "#web/data/threads/threads.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { PersonAvatar } from "#web/ui/avatar.tsx";
import { closeThreadDialog } from "#web/ui/open-thread-dialog.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { touchOnly } from "#web/lib/use-media-query.ts";
import { t } from "#web/i18n/translate.ts";
import screenStyles from "../screen.module.css";
import { FindField } from "../find-field.tsx";
import { List } from "../list.tsx";
import { EmptyText } from "../list-content.tsx";
import { asName, Row, RowButtons } from "../row.tsx";
import { Rows } from "../rows.tsx";
import { fieldStyles } from "../form/field.tsx";
import styles from "./shares.module.css";

type Members = ReturnType<typeof useThreadMembers>;

/** For the thread's owner: adds people and groups, and changes what they may do. */
export function ThreadPeople({ threadId }: { threadId: string }) {
  const [typed, setTyped] = useState("");
  const search = useDebouncedValue(typed.trim());
  const list = useThreadMembers(threadId);
  return (
    <>
      <p className={screenStyles["about"]}>{t("share.peopleAbout")}</p>
      <FindField label={t("share.find")} value={typed} onChange={setTyped} />
      {search !== "" && typed.trim() !== "" && (
        <Candidates search={search} list={list} onAdd={() => setTyped("")} />
      )}
      <h3 className={screenStyles["heading"]}>{t("share.sharedWith")}</h3>
      <MemberList list={list}>
        {(member) => (
          <>
            <AccessSelect
              member={member}
              onChange={(access) => void list.put(member.id, access).catch(showFailure)}
            />
            <Button
              aria-label={t("share.stopNamed", { name: nameOf(member) })}
              onClick={() => void list.remove(member.id).catch(showFailure)}
            >
              {t("share.stop")}
            </Button>
          </>
        )}
      </MemberList>
    </>
  );
}

/** For members of the thread: who else sees it. */
export function PeopleInThread({ threadId }: { threadId: string }) {
  const list = useThreadMembers(threadId);
  const { me } = useSession();
  const { thread } = useThread(threadId);
  const { confirm, dialog } = useConfirmation();
  const isMember = list.members.some(({ id }) => id === me?.user_id);
  const leave = () =>
    confirm({
      text: t("share.leaveAsk"),
      label: t("share.leave"),
      run: async () => {
        await list.remove(me?.user_id ?? "");
        closeThreadDialog();
        return t("share.left");
      },
    });
  return (
    <>
      <p className={screenStyles["about"]}>
        {t("share.ownerIs", { name: thread?.sharing?.owner_name ?? t("share.somebody") })}
      </p>
      <MemberList list={list}>
        {({ access }) => (
          <span className={styles["access"]}>
            {t(access === "write" ? "share.canWrite" : "share.canRead")}
          </span>
        )}
      </MemberList>
      {isMember && (
        <Button look="danger" onClick={leave}>
          {t("share.leave")}
        </Button>
      )}
      {dialog}
    </>
  );
}

function MemberList({ list, children }: { list: Members; children(member: ThreadMember): ReactNode }) {
  return (
    <Rows
      list={list}
      rows={list.members}
      after={findField}
      loadingLabel={t("share.membersLoading")}
      failedTitle={t("share.membersFailed")}
      empty={[t("share.nobody")]}
    >
      {(member) => <PersonRow person={member}>{children(member)}</PersonRow>}
    </Rows>
  );
}

/** The people and groups that match and are not in the list. */
function Candidates({ search, list, onAdd }: { search: string; list: Members; onAdd(): void }) {
  const found = useMemberCandidates(search);
  const others = found.candidates.filter(({ id }) => list.members.every((member) => member.id !== id));
  if (found.state === "ready" && others.length === 0) return <EmptyText lines={[t("share.noneFound")]} />;
  return (
    <List label={t("share.found")} after={findField}>
      {others.map((person) => (
        <PersonRow key={person.id} person={person} email={person.email}>
          <Button
            aria-label={t("share.addNamed", { name: nameOf(person) })}
            onClick={() => void list.put(person.id, "write").then(onAdd, showFailure)}
          >
            {t("share.add")}
          </Button>
        </PersonRow>
      ))}
    </List>
  );
}

/** Not on touch screens, where it would open the keyboard. */
const findField = (list: HTMLElement) =>
  list.closest("dialog")?.querySelector<HTMLElement>(matchMedia(touchOnly).matches ? "button" : "input");

function AccessSelect({ member, onChange }: { member: ThreadMember; onChange(access: MemberAccess): void }) {
  return (
    <select
      aria-label={t("share.accessOf", { name: nameOf(member) })}
      value={member.access}
      className={fieldStyles["input"]}
      onChange={(event) => onChange(event.currentTarget.value as MemberAccess)}
    >
      <option value="read">{t("share.canRead")}</option>
      <option value="write">{t("share.canWrite")}</option>
    </select>
  );
}

type Named = Pick<ThreadMember | MemberCandidate, "id" | "kind" | "name"> & { picture_url?: string | null };

function PersonRow({
  person,
  email,
  children,
}: {
  person: Named;
  email?: string | null;
  children: ReactNode;
}) {
  const fact = person.kind === "group" ? t("share.group") : email;
  return (
    <Row
      className={styles["person"]}
      before={<PersonAvatar id={person.id} name={nameOf(person)} picture={person.picture_url ?? null} />}
      name={nameOf(person)}
      facts={fact == null ? undefined : [asName(fact)]}
    >
      <RowButtons>{children}</RowButtons>
    </Row>
  );
}

function nameOf({ name }: Named): string {
  return name ?? t("share.somebody");
}
