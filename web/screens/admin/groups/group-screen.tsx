import { useNavigate, useParams } from "@tanstack/react-router";
import { limitedRoles, noRights, type LimitedRole, type Rights } from "#contract/accounts/rights.ts";
import type { Group } from "#contract/endpoints/groups.ts";
import { formFields } from "#contract/form-fields.ts";
import { useAccessSettings, useGroup } from "#web/data/admin/groups.ts";
import { useSignInProviders } from "#web/data/admin/sign-in-providers.ts";
import { useCan } from "#web/data/session/session.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { SelectField } from "../../form/select-field.tsx";
import { Form } from "../../form/form.tsx";
import { mistakesByRules } from "../../form/mistakes-by-rules.ts";
import { TextField } from "../../form/text-field.tsx";
import { type OnSave, useForm } from "../../form/use-form.ts";
import { ListContent } from "../../list-content.tsx";
import { BackLink, Page } from "../../page.tsx";
import { GroupMembers } from "./group-members.tsx";
import { RightsFields } from "./rights-fields.tsx";
import styles from "../../screen.module.css";

/** `/admin/groups/:groupId`: a group, a new one, or what members or guests may use. */
export function GroupScreen() {
  const { groupId = "new" } = useParams({ strict: false });
  if (useCan("people.manage") !== true) return null;
  const role = limitedRoles.find((each) => each === groupId);
  if (role !== undefined) return <RoleRights key={role} role={role} />;
  return <OneGroup key={groupId} id={groupId === "new" ? undefined : groupId} />;
}

function useToList(): () => void {
  const navigate = useNavigate();
  return () => void navigate({ to: "/admin/$page", params: { page: "groups" } });
}

function ToGroups() {
  return (
    <BackLink to="/admin/$page" params={{ page: "groups" }}>
      {t("groups.title")}
    </BackLink>
  );
}

function RoleRights({ role }: { role: LimitedRole }) {
  const access = useAccessSettings();
  return (
    <Page title={t(`groups.${role}`)} above={<ToGroups />}>
      <p className={styles["about"]}>{t(`groups.${role}About`)}</p>
      <ListContent
        list={access}
        isEmpty={false}
        loadingLabel={t("groups.loading")}
        failedTitle={t("groups.failed")}
      >
        {access.settings !== undefined && (
          <RoleForm role={role} first={access.settings[role]} onSave={access.save} />
        )}
      </ListContent>
    </Page>
  );
}

function RoleForm({
  role,
  first,
  onSave,
}: {
  role: LimitedRole;
  first: Rights;
  onSave: (body: Partial<Record<LimitedRole, Rights>>) => Promise<void>;
}) {
  const toList = useToList();
  const form = useForm<Rights, never>({
    first,
    mistakesOf: () => ({}),
    async onSave(rights) {
      await onSave({ [role]: rights });
      showToast(t("account.saved"));
      return toList;
    },
  });
  return (
    <Form form={form} saveLabel={t("action.save")} onCancel={toList}>
      <RightsFields rights={form.values} isForGuests={role === "guest"} onChange={form.change} />
    </Form>
  );
}

/** Without `id`, a new group. */
function OneGroup({ id }: { id: string | undefined }) {
  const stored = useGroup(id);
  const toList = useToList();
  const navigate = useNavigate();
  const { confirm, dialog } = useConfirmation();
  const { group } = stored;
  return (
    <Page title={id === undefined ? t("group.new") : (group?.name ?? t("groups.title"))} above={<ToGroups />}>
      {id === undefined ? (
        <GroupForm
          first={empty}
          saveLabel={t("group.create")}
          onCancel={toList}
          onSave={async (values) => {
            const created = await stored.create(bodyOf(values));
            return () => void navigate({ to: "/admin/groups/$groupId", params: { groupId: created.id } });
          }}
        />
      ) : (
        <ListContent
          list={stored}
          isEmpty={false}
          loadingLabel={t("groups.loading")}
          failedTitle={t("groups.failed")}
        >
          {group !== undefined && (
            <>
              <GroupForm
                first={valuesOf(group)}
                saveLabel={t("action.save")}
                onCancel={toList}
                onSave={async (values) => {
                  await stored.update(bodyOf(values));
                  showToast(t("account.saved"));
                  return toList;
                }}
              />
              <GroupMembers group={group} />
              <div className={styles["remove"]}>
                <Button
                  look="danger"
                  onClick={() =>
                    confirm({
                      text: t("group.removeAsk", { name: group.name }),
                      label: t("action.delete"),
                      async run() {
                        toList();
                        await stored.remove();
                        return t("group.removed", { name: group.name });
                      },
                    })
                  }
                >
                  {t("group.remove")}
                </Button>
              </div>
            </>
          )}
        </ListContent>
      )}
      {dialog}
    </Page>
  );
}

/** `providerId` is empty for a group whose members administrators choose. */
type GroupValues = { name: string; providerId: string; value: string; rights: Rights };

const empty: GroupValues = { name: "", providerId: "", value: "", rights: noRights };

function valuesOf({ name, claim, rights }: Group): GroupValues {
  return { name, providerId: claim?.provider_id ?? "", value: claim?.value ?? "", rights };
}

function bodyOf({ name, providerId, value, rights }: GroupValues) {
  return { name, claim: providerId === "" ? null : { provider_id: providerId, value }, rights };
}

function GroupForm({
  first,
  saveLabel,
  onSave,
  onCancel,
}: {
  first: GroupValues;
  saveLabel: string;
  onSave: OnSave<GroupValues>;
  onCancel(): void;
}) {
  // That of the group stays, even if it names no groups any more.
  const providers = useSignInProviders().providers.filter(
    ({ id, groups_claim: claim }) => claim !== null || id === first.providerId,
  );
  const form = useForm<GroupValues>({
    first,
    mistakesOf: ({ name, providerId, value }) =>
      mistakesByRules(
        { name, value },
        {
          name: { ...rules.name, missing: t("group.noName") },
          ...(providerId !== "" && { value: { ...rules.claim.fields.value, missing: t("group.noValue") } }),
        },
      ),
    onSave,
  });
  const { values } = form;
  return (
    <Form form={form} saveLabel={saveLabel} onCancel={onCancel}>
      <TextField label={t("group.name")} dir="auto" maxLength={rules.name.max} {...form.field("name")} />
      {(providers.length > 0 || values.providerId !== "") && (
        <SelectField
          label={t("group.source")}
          hint={t("group.sourceHint")}
          options={[
            ["", t("group.byHand")],
            ...providers.map(({ id, name }) => [id, t("group.byProvider", { name })] as const),
          ]}
          {...form.field("providerId")}
        />
      )}
      {values.providerId !== "" && (
        <TextField
          label={t("group.value")}
          hint={t("group.valueHint")}
          isCode
          maxLength={rules.claim.fields.value.max}
          {...form.field("value")}
        />
      )}
      <p className={styles["about"]}>{t("group.rightsAbout")}</p>
      <RightsFields rights={values.rights} onChange={(rights) => form.change({ rights })} />
    </Form>
  );
}

const rules = formFields["groups.create"];
