package import KeyplanModel

/// A plan that was applied, or whose apply began: when, by whom, and what was done.
package struct RunFields: Encodable {
  let id: String
  let at: Moment
  /// Whether steps were left undone.
  let incomplete: Bool
  let by: Identifier<Recipient>?
  let command: String?
  let ci: JobFields?
  /// The number of steps that were done, by action; absent for plans that an earlier version of keyplan applied.
  let done: [String: Int]?

  package init(_ plan: AppliedPlan) {
    (id, at, incomplete) = (plan.id, plan.at, plan.isIncomplete)
    (by, command) = (plan.invocation?.recipient, plan.invocation?.command)
    ci = plan.invocation?.job.map(JobFields.init)
    done = plan.invocation == nil ? nil : plan.done
  }
}

/// The facts of a job, as its CI service said them.
package struct JobFields: Encodable {
  let service: String
  let actor: String?
  let workflow: String?
  let commit: String?
  let url: String?

  package init(_ job: JobFacts) {
    (service, actor, workflow) = (job.service, job.actor, job.workflow)
    (commit, url) = (job.commit, job.url)
  }
}
