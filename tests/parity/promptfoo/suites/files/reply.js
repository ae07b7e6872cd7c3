module.exports = (json, text, context) => `${json.body.q} ${context.response.status}`;
