import { useJoinRequests, type usePeople } from "#web/data/admin/people.ts";
import { Button } from "#web/ui/button.tsx";
import { showOutcome } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { List } from "../../list.tsx";
import { MoreButton } from "../../list-content.tsx";
import { asName, Row, RowButtons } from "../../row.tsx";
import styles from "../../screen.module.css";

/** People who ask for an account. */
export function JoinRequests({ list }: { list: Pick<ReturnType<typeof usePeople>, "approve" | "deny"> }) {
  const pages = useJoinRequests();
  const { requests } = pages;
  if (requests.length === 0) return null;
  return (
    <section aria-labelledby="join-requests">
      <h2 id="join-requests" className={styles["heading"]}>
        {t("people.requests")}
      </h2>
      <List>
        {requests.map(({ user_id: id, name, email }) => (
          <Row key={id} name={name} facts={[asName(email)]}>
            <RowButtons>
              <Button
                aria-label={t("people.denyNamed", { name: name ?? "" })}
                onClick={() => showOutcome(list.deny(id), t("people.denied"))}
              >
                {t("people.deny")}
              </Button>
              <Button
                look="strong"
                aria-label={t("people.approveNamed", { name: name ?? "" })}
                onClick={() => showOutcome(list.approve(id), t("people.approved"))}
              >
                {t("people.approve")}
              </Button>
            </RowButtons>
          </Row>
        ))}
      </List>
      <MoreButton list={pages} />
    </section>
  );
}
