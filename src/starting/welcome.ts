/** What somebody sees who has just started the application. */
export const welcome = (baseUrl: string, databaseUrl: string): string => `
Gatehouse's support desk is ready.

  Base URL  ${baseUrl}/agent
  Database  ${databaseUrl}
  People    support, approver, approver2, auditor (of acme), outsider (of other): the bearer token is the name. Demo only.

Ask the agent for a refund, and see the run wait for a person:

  curl -N ${baseUrl}/agent/runs -H 'Authorization: Bearer support' -H 'Content-Type: application/json' \\
    -d '{"threadId":"t-'$(date +%s)'","runId":"r-'$(date +%s)'","messages":[{"id":"m1","role":"user","content":"refund order 1001 25.00"}]}'

See what waits for a person:

  curl '${baseUrl}/agent/approvals?status=pending' -H 'Authorization: Bearer approver'

See what was executed:

  curl ${baseUrl}/agent/audit/executions -H 'Authorization: Bearer auditor'

README.md has the whole session. Ctrl-C stops the application, and the database if it was started here.
`;
