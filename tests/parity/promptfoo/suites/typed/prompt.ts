interface Args { vars: Record<string, string> }
export default function ({ vars }: Args): string { return `Hi ${vars.name}`; }
