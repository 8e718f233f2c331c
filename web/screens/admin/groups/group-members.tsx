import { useState } from "react";
import UserPlus from "lucide-react/icons/user-plus";
import X from "lucide-react/icons/x";
import type { Group } from "#contract/endpoints/groups.ts";
import { useGroupMembers } from "#web/data/admin/groups.ts";
import { usePeople } from "#web/data/admin/people.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { Button } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { asName, Row } from "../../row.tsx";
import { Rows } from "../../rows.tsx";
import { FindField } from "../../find-field.tsx";
import styles from "../../screen.module.css";

/** Who belongs to a group. One search finds members, and people to add. */
export function GroupMembers({ group }: { group: Group }) {
  const [typed, setTyped] = useState("");
  const search = useDebouncedValue(typed.trim());
  const list = useGroupMembers(group.id, search);
  const isByHand = group.claim === null;
  return (
    <section aria-labelledby="group-members">
      <h2 id="group-members" className={styles["heading"]}>
        {t("group.members")}
      </h2>
      {!isByHand && <p className={styles["about"]}>{t("group.membersByClaim")}</p>}
      <FindField
        label={t(isByHand ? "group.findOrAdd" : "group.findMember")}
        value={typed}
        onChange={setTyped}
      />
      {isByHand && search !== "" && <PeopleToAdd search={search} members={list} />}
      <Rows
        list={list}
        rows={list.members}
        loadingLabel={t("group.loadingMembers")}
        failedTitle={t("group.failedMembers")}
        empty={[search === "" ? t("group.noMembers") : t("group.noMember")]}
      >
        {(person) => (
          <PersonRow person={person}>
            <Button
              aria-label={t("group.removeNamed", { name: nameOf(person) })}
              onClick={() => void list.remove(person.id).catch(showFailure)}
            >
              <Icon of={X} size={16} />
              {t("group.removeMember")}
            </Button>
          </PersonRow>
        )}
      </Rows>
    </section>
  );
}

type Named = { id: string; name: string | null; email: string | null };

/** The people of the server who match and do not belong to the group yet. */
function PeopleToAdd({ search, members }: { search: string; members: ReturnType<typeof useGroupMembers> }) {
  const { people } = usePeople(search);
  const others = people.filter(({ id }) => !members.members.some((member) => member.id === id)).slice(0, 5);
  if (others.length === 0) return null;
  return (
    <ul className={styles["list"]} aria-label={t("group.toAdd")}>
      {others.map((person) => (
        <PersonRow key={person.id} person={person}>
          <Button
            aria-label={t("group.addNamed", { name: nameOf(person) })}
            onClick={() => void members.add(person.id).catch(showFailure)}
          >
            <Icon of={UserPlus} size={16} />
            {t("group.addMember")}
          </Button>
        </PersonRow>
      ))}
    </ul>
  );
}

function PersonRow({ person, children }: { person: Named; children: React.ReactNode }) {
  return (
    <Row name={nameOf(person)} facts={[asName(person.email)]}>
      {children}
    </Row>
  );
}

function nameOf({ name, email }: Named): string {
  return name ?? email ?? "";
}
